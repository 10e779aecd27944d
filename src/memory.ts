/**
 * The memory budget as a caller sees it: what the broker's ledger has now, with rooms called by their minds.
 */
import type { MemoryQuestion } from './actors/broker/memory.js';
import type { MemoryReport } from './actors/broker/memory-report.js';
import type { Mind } from './mind.js';
import { Band } from './runtime/message.js';
import type { Stage } from './stage.js';

export async function memoryOf({ system, mindArgs }: Stage, minds: Iterable<Mind>): Promise<MemoryReport> {
  const question: MemoryQuestion = { type: 'memory' };
  const report = await system.ask<MemoryReport>(mindArgs.broker, { ...question }, { band: Band.control });
  const names = new Map([...minds].map(({ id, name }) => [String(id), name]));
  const leases = report.leases.map((lease) => {
    const [mind = '', ...room] = lease.owner.split('/');
    const name = lease.kind === 'pages' ? names.get(mind) : undefined;
    return name === undefined ? lease : { ...lease, owner: [name, ...room].join('/') };
  });
  return { ...report, leases };
}
