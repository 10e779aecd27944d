/**
 * What a mind weighs: 1,000 of them on 4 lanes, measured in a process of its own, awake and passive.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EMBEDDED, script } from './settings.mjs';

const MINDS = 1000;
const WITHIN_MS = 600_000;
/** Awake while the others take their turns, passive soon after. */
const PASSIVATE_MS = 5_000;

async function weighed(figure, options) {
  const given = JSON.stringify({ model: EMBEDDED, lanes: 4, minds: MINDS, ...options });
  const { stdout } = await promisify(execFile)(process.execPath, [script('sides/weigh'), given], {
    timeout: WITHIN_MS,
  });
  const { residentBytes, heapBytes, textBytes } = JSON.parse(stdout);
  const each = (bytes) => (bytes - textBytes) / MINDS / 1024;
  return {
    figure,
    value: Math.max(each(residentBytes), each(heapBytes)),
    unit: 'KiB',
    better: 'lower',
    note: `resident ${each(residentBytes).toFixed(1)}, heaps ${each(heapBytes).toFixed(1)}, beside ${(textBytes / MINDS / 1024).toFixed(2)} of text`,
  };
}

export const many = {
  figures: ['many', 'many-passive'],
  async run({ report }) {
    report({ ...(await weighed('many')), bar: 16 });
    report(await weighed('many-passive', { passivateAfter: PASSIVATE_MS }));
  },
};
