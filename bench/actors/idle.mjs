/**
 * What an idle actor weighs: 100,000 of them on two host threads, directory and counters included.
 */
import { apart } from './apart.mjs';

const ACTORS = 100_000;
const HOSTS = 2;

export const idle = {
  figures: ['idle-bytes'],
  async run({ report }) {
    const { residentBytes, heapBytes } = await apart('idle', { actors: ACTORS, hosts: HOSTS });
    const each = (bytes) => Math.round(bytes / ACTORS);
    report({
      figure: 'idle-bytes',
      value: Math.max(each(residentBytes), each(heapBytes)),
      unit: 'bytes',
      bar: 700,
      better: 'lower',
      note: `resident ${each(residentBytes)}, heaps ${each(heapBytes)}`,
    });
  },
};
