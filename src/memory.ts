/**
 * The memory budget as a caller sees it: what the broker's ledger has now, with rooms called by their minds.
 */
import { mindOf, roomOf } from './actors/activity.js';
import type { MemoryQuestion } from './actors/broker/memory.js';
import type { MemoryReport } from './actors/broker/memory-report.js';
import type { Mind } from './mind.js';
import { Band } from './runtime/message.js';
import type { Stage } from './stage.js';

export async function memoryOf({ system, mindArgs }: Stage, minds: Iterable<Mind>): Promise<MemoryReport> {
  const question: MemoryQuestion = { type: 'memory' };
  const report = await system.ask<MemoryReport>(mindArgs.broker, { ...question }, { band: Band.control });
  const names = new Map([...minds].map(({ id, name }) => [id, name]));
  const leases = report.leases.map((lease) => {
    // Of pages on disk it is their folder.
    const name = lease.kind === 'pages' ? names.get(mindOf(lease.owner)) : undefined;
    return name === undefined ? lease : { ...lease, owner: `${name}/${roomOf(lease.owner)}` };
  });
  return { ...report, leases };
}
