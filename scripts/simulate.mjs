/**
 * `npm run -s simulate -- [--seeds N] [--from S] [--subject NAME]`: runs seeds of the simulation.
 *
 * A seed that fails prints what it broke and the command that runs it again: `--seed S --faults 0,2 --messages N`.
 * The last line is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT } from './setup.mjs';

const SEEDS = 20_000;

const usage = `usage: npm run -s simulate -- [--seeds N] [--from S] [--subject NAME]
       npm run -s simulate -- --subject NAME --seed S [--faults I,I|none] [--messages N]
`;

function readArguments() {
  try {
    const text = { type: 'string' };
    const { values } = parseArgs({
      options: {
        seeds: text,
        from: text,
        seed: text,
        subject: text,
        faults: text,
        messages: text,
        help: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    return process.exit(2);
  }
}

function count(name, text) {
  if (text === undefined || /^\d+$/.test(text)) return text === undefined ? undefined : Number(text);
  process.stderr.write(`--${name} is ${text}; expected a whole number\n${usage}`);
  return process.exit(2);
}

const values = readArguments();
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const seed = count('seed', values.seed);
const faults = values.faults
  ?.split(',')
  .flatMap((index) => (index === 'none' ? [] : [count('faults', index)]));

const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', join(ROOT, 'test', 'simulation')], {
  cwd: ROOT,
  stdio: ['ignore', 2, 2],
});
if (compiled.status !== 0) process.exit(1);
const file = join(ROOT, '.setup', 'simulation', 'test', 'simulation', 'seeds.js');
const { runSeeds } = await import(pathToFileURL(file).href);

const begun = performance.now();
const tally = await runSeeds({
  from: seed ?? count('from', values.from) ?? 1,
  seeds: seed === undefined ? (count('seeds', values.seeds) ?? SEEDS) : 1,
  subject: values.subject,
  faults,
  messages: count('messages', values.messages),
  write: (text) => process.stdout.write(text),
});
const { passed, failed } = tally;
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
process.stdout.write(`${tally.messages} messages and ${tally.faults} faults in ${seconds} s\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
