/**
 * The store of pages under a ceiling: pages of many sizes come and go, each filled, and the resident size of the process is
 * looked at whenever one has come. Prints `{ largestBytes, pages, refused, peakBytes }`: the most that the process grew, how
 * many pages came and how often one did not fit, and the most that the store counted.
 */
import { closeSync, openSync } from 'node:fs';
import { loadAddon } from '../../../dist/native/load.js';

const { ceilingBytes, pages, seed } = JSON.parse(process.argv[2]);

const MIB = 2 ** 20;
/** A short talk of a small model, and a long one of a large model. */
const LEAST_BYTES = MIB / 2;
const MOST_BYTES = 48 * MIB;

const store = loadAddon().pages;
const zeros = openSync('/dev/zero', 'r');
store.setCeiling(ceilingBytes);

/** Numbers below 1, always the same for a seed. */
let state = seed;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

/** As many short ones as long ones. */
const size = () => Math.round(LEAST_BYTES * (MOST_BYTES / LEAST_BYTES) ** random());

function bring(bytes) {
  const page = store.create({ fingerprint: 'bench', cells: 1, sections: [{ kind: 1, bytes }] });
  for (let at = 0; at < bytes; at += MIB) store.read(zeros, page, 0, at, Math.min(MIB, bytes - at));
  return page;
}

const before = process.memoryUsage.rss();
let [largest, peak, refused] = [0, 0, 0];
const held = [];
for (let i = 0; i < pages; i++) {
  const bytes = size();
  for (;;) {
    try {
      held.push(bring(bytes));
      break;
    } catch (error) {
      if (error.code !== 'OverCeiling') throw error;
      refused++;
      // Any of them: what is oldest says nothing of where it lies.
      store.release(held.splice(Math.floor(random() * held.length), 1)[0]);
    }
  }
  largest = Math.max(largest, process.memoryUsage.rss() - before);
  peak = Math.max(peak, store.usage().bytes);
}
closeSync(zeros);
process.stdout.write(JSON.stringify({ largestBytes: largest, pages, refused, peakBytes: peak }));
