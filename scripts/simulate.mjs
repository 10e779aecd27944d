/**
 * `npm run -s simulate -- [--seeds N] [--from S] [--subject NAME] [--jobs N]`: runs seeds of the simulation, of all
 * subjects in turn, in as many processes as `--jobs` says.
 *
 * A seed that fails prints what it broke and the command that runs it again: `--seed S --faults 0,2 --messages N`.
 * The last lines say how much the least of the seeds has done, and `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT } from './setup.mjs';

const SEEDS = 20_000;

const usage = `usage: npm run -s simulate -- [--seeds N] [--from S] [--subject NAME] [--jobs N]
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
        jobs: text,
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
const load = (file) =>
  import(pathToFileURL(join(ROOT, '.setup', 'simulation', 'test', 'simulation', file)).href);
const { runJobs } = await load('jobs.js');
const { describe, totals } = await load('tally.js');

const begun = performance.now();
const options = {
  from: seed ?? count('from', values.from) ?? 1,
  seeds: seed === undefined ? (count('seeds', values.seeds) ?? SEEDS) : 1,
  subject: values.subject,
  faults,
  messages: count('messages', values.messages),
};
const jobs = Math.max(1, Math.min(options.seeds, count('jobs', values.jobs) ?? 1));
const tally = await runJobs(jobs, options, (text) => process.stdout.write(text));
const { passed, failed } = totals(tally);
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
const processes = jobs === 1 ? 'one process' : `${jobs} processes`;
for (const line of describe(tally)) process.stdout.write(`${line}\n`);
process.stdout.write(`${seconds} s in ${processes}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
