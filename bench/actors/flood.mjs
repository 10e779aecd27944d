/**
 * A thread under a flood from another one: its timers go on, and memory stays where it is.
 */
import { quantile } from '../harness/statistics.mjs';
import { apart } from './apart.mjs';

const MIB = 2 ** 20;
const EVERY_MS = 5;
const WATCH_MS = 10_000;
const WARM_UP_MS = 3_000;
/** On a machine that is busy beyond measure there may be fewer ticks than a p99 takes. */
const LEAST_TICKS = 300;
/** What the flooded thread must have been sent, or it was none. */
const LEAST_A_SECOND = 50_000;

export const flood = {
  figures: ['flood-timer', 'flood-memory'],
  async run({ report }) {
    const options = { everyMs: EVERY_MS, watchMs: WATCH_MS, warmUpMs: WARM_UP_MS };
    const { lateMs, accepted, refused, ...bytes } = await apart('flood', options);
    const rate = accepted / (WATCH_MS / 1000);
    if (lateMs.length < LEAST_TICKS) throw new Error(`only ${lateMs.length} ticks`);
    if (rate < LEAST_A_SECOND) throw new Error(`a flood of ${rate.toFixed(0)} messages a second is none`);
    const p99Ms = quantile(lateMs, 0.99);
    report({
      figure: 'flood-timer',
      value: p99Ms,
      unit: 'ms',
      bar: 20,
      better: 'lower',
      note: `p50 ${quantile(lateMs, 0.5).toFixed(1)} ms of ${lateMs.length} ticks; ${Math.round(rate).toLocaleString('en')} messages a second taken, ${refused.toLocaleString('en')} refused`,
    });
    const mib = (count) => count / MIB;
    const [resident, heaps] = [mib(bytes.residentBytes), mib(bytes.heapBytes)];
    report({
      figure: 'flood-memory',
      value: Math.max(resident, heaps),
      unit: 'MiB',
      bar: 16,
      better: 'lower',
      note: `resident at its highest ${resident.toFixed(1)}, heaps ${heaps.toFixed(1)}, over ${WATCH_MS / 1000} s after the first ${WARM_UP_MS / 1000} s, which took ${mib(bytes.firstBytes).toFixed(1)} for young objects and compiled code`,
    });
  },
};
