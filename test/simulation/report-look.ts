/**
 * Whether what a user is shown of memory is true of itself at any moment: sums are sums, and no more is promised than there is.
 */
import type { MemoryReport } from '../../src/actors/broker/memory-report.js';
import { memoryOf } from '../../src/memory.js';
import type { Stage } from '../../src/stage.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';

const ADDS_UP = 'what is shown of memory adds up';

/** Asks, and looks at the answer when it comes; who asks while the broker is started again has none. */
export function lookAtReport({ violations }: SimulatedSystem, stage: Stage): void {
  memoryOf(stage, []).then(
    (report) => {
      for (const what of wrongsOf(report)) violations.add(ADDS_UP, what);
    },
    () => {},
  );
}

function wrongsOf({ pools, leases, cells }: MemoryReport): string[] {
  const wrongs = pools.flatMap(({ name, tiers, heldBytes, floorBytes, usedBytes, pendingBytes, kinds }) => {
    const leased = leases
      .filter(({ tier }) => tiers.includes(tier))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    const ofKinds = kinds.reduce((sum, { bytes }) => sum + bytes, 0);
    const isSum = heldBytes === leased && heldBytes === ofKinds && heldBytes === floorBytes + usedBytes;
    const what = `${name} holds ${heldBytes}, in leases ${leased}, by kinds ${ofKinds}; ${pendingBytes} are asked back`;
    return isSum && usedBytes >= 0 && pendingBytes >= 0 ? [] : [what];
  });
  const { total, granted, idle, saved } = cells;
  if (granted + idle <= total && idle >= 0 && saved >= 0) return wrongs;
  return [...wrongs, `of ${total} cells ${granted} are granted, ${idle} idle, and ${saved} saved`];
}
