// A process of its own: recalls the room of the mind `ada` from the pages folder that it is given, has her say one thing more,
// and prints what her turn was.
import { Troupe } from '../../dist/index.js';

const [model, dir, options, text] = process.argv.slice(2);
const { mind, turn } = JSON.parse(options);
const troupe = await Troupe.start({ model, lanes: 1, context: 1024, threads: 1, hosts: 1, memory: { dir } });
const ada = await troupe.mind('ada', mind);
await ada.recall();
const result = await ada.turn(text, turn).result;
await troupe.stop();
process.stdout.write(JSON.stringify(result));
