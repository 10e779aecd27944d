/**
 * A troupe as observers see it: the actors, and beside them the lanes, which the broker hands out and the engine works
 * on.
 */
import type { MemoryReport } from './actors/broker/memory-report.js';
import { type LaneReport, readLanes } from './actors/engine/status.js';
import type { GeneStats, NamedGeneInfo, ResidencyQuestion } from './actors/residency/protocol.js';
import { NoSuchActor } from './errors.js';
import { type GenesSeen, genesSeen } from './observer/genes.js';
import { type MemorySeen, memorySeen } from './observer/memory.js';
import { Observer } from './observer/server.js';
import type { ActorId } from './runtime/address.js';
import type { SystemReport } from './runtime/inspect.js';
import { Band } from './runtime/message.js';
import type { Probe } from './runtime/probes.js';
import type { Hold, Sight } from './runtime/standing.js';
import type { System } from './runtime/system.js';
import { pagesOf } from './sight-pages.js';

export function sightOf(report: SystemReport, lanes: readonly LaneReport[]): Sight {
  const called = (name: string): number | undefined => report.actors.find((actor) => actor.name === name)?.id;
  const keeper = called('broker');
  const worker = called('engine');
  if (keeper === undefined || worker === undefined) return { ...report, holds: [] };
  const running = lanes.filter(({ state }) => state === 'running');
  const holds = running.map(
    ({ lane, mind }): Hold => ({ what: `lane ${lane}`, keeper, holder: mind, worker }),
  );
  return { ...report, holds };
}

/** Asked of the residency, on its control band. */
async function genesOf(system: System): Promise<GenesSeen> {
  const id = await system.lookup('residency');
  if (id === undefined) throw new NoSuchActor({ name: 'residency', near: undefined });
  const ask = <T>(message: ResidencyQuestion) => system.ask<T>(id, message, { band: Band.control });
  const [all, stats] = await Promise.all([
    ask<NamedGeneInfo[]>({ type: 'list' }),
    ask<GeneStats>({ type: 'stats' }),
  ]);
  return genesSeen(all, stats);
}

/** Asked of the broker, on its control band. */
async function budgetOf(system: System): Promise<MemorySeen> {
  const id = await system.lookup('broker');
  if (id === undefined) throw new NoSuchActor({ name: 'broker', near: undefined });
  return memorySeen(await system.ask<MemoryReport>(id, { type: 'memory' }, { band: Band.control }));
}

/** Opens the control socket in the data folder; else answers the probe that says why it cannot be. */
export async function openObserver(
  system: System,
  status: Int32Array,
  dir: string,
): Promise<{ readonly observer?: Observer; readonly failed?: Probe }> {
  const source = {
    inspect: () => sightOf(system.inspect(), readLanes(status)),
    peek: (id: ActorId, preview: boolean) => system.peek(id, preview),
    genes: () => genesOf(system),
    memory: () => budgetOf(system),
    pages: () => pagesOf(system, () => readLanes(status)),
    onProbe: system.onProbe.bind(system),
    trace: system.trace.bind(system),
  };
  try {
    return { observer: await Observer.open(source, dir) };
  } catch (error) {
    return { failed: { name: 'observer.failed', dir, reason: (error as Error).message } };
  }
}
