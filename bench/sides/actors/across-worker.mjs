/** The worker behind `across.mjs`'s raw side: the same sink without an actor. */
import { parentPort } from 'node:worker_threads';

let count = 0;
let sum = 0;
parentPort.on('message', ({ value, last }) => {
  count++;
  sum += value;
  if (!last) return;
  parentPort.postMessage({ type: 'received', count, sum });
  count = 0;
  sum = 0;
});
