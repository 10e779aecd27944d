/**
 * Two sides in one process, in turn; prints their slices. `sides`: `file#export` each, relative to the folder `bench`. An
 * export makes its side from `options`; see `harness/interleave.mjs`. `order`: that in which they are made, which matters:
 * what is made first has the better place in memory.
 */
import { interleave } from '../../harness/interleave.mjs';

const { sides, options, order } = JSON.parse(process.argv[2]);

const opened = [];
for (const side of order) {
  const [file, name] = sides[side].split('#');
  const module = await import(new URL(`../../${file}.mjs`, import.meta.url).href);
  opened[side] = await module[name](options);
}
const { pairs, sliceMs } = options;
const measured = await interleave(opened, { pairs, sliceMs });
process.stdout.write(JSON.stringify(measured), () => process.exit());
