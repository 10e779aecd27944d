/**
 * `npm run -s bench -- NAME [--json]`: makes the checkout ready (quietly, on stderr), then runs one bench.
 *
 * A bench is a file of `bench/` that exports `bench`; `--help` lists them. `--only FIGURE,...` runs some of its
 * figures.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT, setupOrExit } from './setup.mjs';

const names = readdirSync(join(ROOT, 'bench'))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.replace(/\.mjs$/, ''));

const usage = `usage: npm run -s bench -- NAME [--json] [--only FIGURE,...]
benches: ${names.join(', ')}
`;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean' } },
    });
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    return process.exit(2);
  }
}

const { values, positionals } = readArguments();
const [name] = positionals;
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (positionals.length !== 1 || !names.includes(name)) {
  process.stderr.write(`${name ? `there is no bench ${name}` : 'which bench?'}\n${usage}`);
  process.exit(2);
}

await setupOrExit();
const { runBench } = await import(pathToFileURL(join(ROOT, 'bench', 'harness', 'run.mjs')).href);
const { bench } = await import(pathToFileURL(join(ROOT, 'bench', `${name}.mjs`)).href);
process.exitCode = await runBench(bench, { json: values.json ?? false, only: values.only?.split(',') });
