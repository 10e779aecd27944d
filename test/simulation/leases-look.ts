/**
 * Whether the ledger says what there is, when all is quiet: of the context, pages in memory and on disk, and genes.
 */
import type { MemoryReport } from '../../src/actors/broker/memory-report.js';
import type { PageList } from '../../src/pages/read.js';
import { Band } from '../../src/runtime/message.js';
import type { Stage } from '../../src/stage.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';
import type { FakeAddon } from './fake-addon.js';
import { CELL_BYTES } from './fake-context.js';

/** What was last done is told by then. */
const TOLD_MS = 1_000;
const LIST_MS = 60_000;

/** `hasOrphans`: a job has gone on without its pager, and nobody heard when it let go of its page. */
export async function lookAtLeases(
  { stage, violations }: SimulatedSystem,
  addon: FakeAddon,
  { system, pager, mindArgs }: Stage,
  hasOrphans: boolean,
): Promise<void> {
  // Files are counted once the folder is open.
  const list = stage.settle(
    system.ask<PageList>(pager, { type: 'files', deadlineMs: LIST_MS }, { deadlineMs: LIST_MS }),
  );
  const { pages: files, damaged } = await list.catch(() => ({ pages: [], damaged: [] }));
  await stage.advance(TOLD_MS);
  const question = system.ask<MemoryReport>(mindArgs.broker, { type: 'memory' }, { band: Band.control });
  const { leases } = await stage.settle(question);
  const leased = (kind: string, tier: string): number =>
    leases.reduce((sum, lease) => sum + (lease.kind === kind && lease.tier === tier ? lease.bytes : 0), 0);
  const genes = (tier: string): number => addon.genes.list().filter((gene) => gene.tier === tier).length;
  // An actor that has crashed too often is gone, and what it holds stays until the troupe ends.
  const isThere = (name: string): boolean =>
    stage.threads.some((thread) => [...thread.cells()].some((cell) => cell.name === name));
  const look = (holder: string, kind: string, tier: string, there: number): void => {
    const says = leased(kind, tier);
    if (says === there || !isThere(holder)) return;
    violations.add('leases add up', `${says} bytes of ${kind} on ${tier} are leased, and ${there} are there`);
  };
  look('engine', 'context', 'host', CELL_BYTES * (addon.context?.cells ?? 0));
  if (!hasOrphans) look('engine', 'pages', 'host', addon.pages.usage().bytes);
  look('residency', 'genes', 'device', genes('device'));
  look('residency', 'genes', 'host', genes('host'));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  // How much one takes that cannot be read, its reader does not say.
  if (damaged.length === 0) look('pager', 'pages', 'disk', bytes);
}
