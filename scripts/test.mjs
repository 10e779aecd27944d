/**
 * `npm test`: makes the checkout ready, then runs the tests. Arguments go to vitest (a file name, `-t NAME`, ...).
 *
 * The last line is `N passed, N failed`, printed by the reporter beside vitest's own.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, setupOrExit } from './setup.mjs';

await setupOrExit();
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const reporters = ['--reporter=default', `--reporter=${join(ROOT, 'scripts', 'tally.mjs')}`];
const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
