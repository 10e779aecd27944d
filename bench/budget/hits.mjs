/**
 * How many turns of a trace find their gene on the device: by the functions that the residency itself asks, and at best.
 */
import { UseTimes } from '../../dist/actors/residency/temperature.js';
import { nextMove } from '../../dist/actors/residency/tiers.js';

/** `seen` makes of a gene's last two uses those that the eviction looks at. */
function hits(trace, { genes, slots }, seen) {
  const times = new UseTimes();
  const held = Array.from({ length: genes }, (_, id) => ({
    id,
    bytes: 1,
    tier: 'host',
    uses: times.of(`${id}`),
  }));
  const limits = { leaving: undefined, stuck: new Set(), slots, hostBytes: genes };
  let found = 0;
  for (const id of trace) {
    if (held[id].tier === 'device') found++;
    times.use([`${id}`]);
    held[id].uses = seen(times.of(`${id}`));
    const running = new Set([id]);
    for (;;) {
      const move = nextMove({ genes: held, wanted: running, kept: running, ...limits });
      if (move === undefined) break;
      move.gene.tier = move.to;
    }
  }
  return found / trace.length;
}

export const byLru2 = (trace, given) => hits(trace, given, (uses) => uses);

export const byLru = (trace, given) => hits(trace, given, ({ last }) => ({ last, before: last }));

/** Who knows all that is to come has the gene leave that is wanted again last (Belady). */
export function atBest(trace, { slots }) {
  const next = new Array(trace.length);
  const upcoming = new Map();
  for (let i = trace.length - 1; i >= 0; i--) {
    next[i] = upcoming.get(trace[i]) ?? Number.POSITIVE_INFINITY;
    upcoming.set(trace[i], i);
  }
  /** When each gene of the device is wanted again. */
  const device = new Map();
  let found = 0;
  for (const [i, id] of trace.entries()) {
    if (device.delete(id)) found++;
    else if (device.size === slots) {
      const [latest] = [...device].reduce((far, each) => (each[1] > far[1] ? each : far));
      device.delete(latest);
    }
    device.set(id, next[i]);
  }
  return found / trace.length;
}
