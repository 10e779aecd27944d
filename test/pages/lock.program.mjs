// Takes the pages folder that it is given, says so, and holds it until it is killed or told to end.
import { loadAddon } from '../../dist/native/load.js';
import { lockDirectory } from '../../dist/pages/lock.js';

const { files } = loadAddon();
const directory = lockDirectory(process.argv[2], files);
process.stdout.write('held\n');
process.stdin.on('data', () => {
  files.unlock(directory.lock);
  process.stdout.write('given up\n');
});
