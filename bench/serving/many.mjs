/**
 * What a mind weighs: 1,000 of them on 4 lanes, measured in a process of its own.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EMBEDDED, script } from './settings.mjs';

const MINDS = 1000;
const WITHIN_MS = 600_000;

export const many = {
  figures: ['many'],
  async run({ report }) {
    const options = JSON.stringify({ model: EMBEDDED, lanes: 4, minds: MINDS });
    const { stdout } = await promisify(execFile)(process.execPath, [script('sides/weigh'), options], {
      timeout: WITHIN_MS,
    });
    const { residentBytes, heapBytes, textBytes } = JSON.parse(stdout);
    const each = (bytes) => (bytes - textBytes) / MINDS / 1024;
    report({
      figure: 'many',
      value: Math.max(each(residentBytes), each(heapBytes)),
      unit: 'KiB',
      bar: 16,
      better: 'lower',
      note: `resident ${each(residentBytes).toFixed(1)}, heaps ${each(heapBytes).toFixed(1)}, beside ${(textBytes / MINDS / 1024).toFixed(2)} of text`,
    });
  },
};
