/**
 * Two sides in one process, in turn; prints their ratios. `sides`: `file#export` each, relative to the folder `bench`. An
 * export makes its side from `options`; see `harness/interleave.mjs`.
 */
import { interleave } from '../../harness/interleave.mjs';

const { sides, options } = JSON.parse(process.argv[2]);

const opened = [];
for (const side of sides) {
  const [file, name] = side.split('#');
  const module = await import(new URL(`../../${file}.mjs`, import.meta.url).href);
  opened.push(await module[name](options));
}
const { pairs, sliceMs } = options;
const measured = await interleave(opened, { pairs, sliceMs });
process.stdout.write(JSON.stringify(measured), () => process.exit());
