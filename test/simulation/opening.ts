/**
 * The actors of the simulated troupe, over the fake engine and its folder: all that a stage has but minds.
 */
import broker from '../../src/actors/broker/broker.js';
import type { Budgets } from '../../src/actors/broker/pools.js';
import engine from '../../src/actors/engine/engine.js';
import { pagerOver } from '../../src/actors/pager/pager.js';
import type { GeneWork } from '../../src/actors/residency/gene-jobs.js';
import { residencyOver } from '../../src/actors/residency/residency.js';
import type { PageWork } from '../../src/pages/page-jobs.js';
import { Reader } from '../../src/reader.js';
import { CONTROL_THREAD } from '../../src/runtime/well-known.js';
import type { Stage } from '../../src/stage.js';
import type { TestSystem } from '../../src/testing/index.js';
import { DIR } from './fake-disk.js';
import { FINGERPRINT } from './fake-pages.js';

export const LANES = 2;
export const CELLS = 384;
export const CONTEXT = 256;
/** Room for some three minds' pages: some go for others. */
export const PAGE_BYTES = 2_400;
export const ENGINE_THREAD = 2;
/** Genes take a byte each: room for two of three on the device, and for one beside it. */
const SLOTS = 2;
const HOST_BYTES = 1;

export interface CompanyArgs {
  readonly budgets: Budgets;
  readonly status: Int32Array;
  readonly genes: () => GeneWork;
  readonly pages: () => PageWork;
}

export async function openCompany(
  stage: TestSystem,
  { budgets, status, genes, pages }: CompanyArgs,
): Promise<Stage> {
  const brokerId = await stage.spawn({
    ...{ name: 'broker', actor: broker, args: { pageBytes: PAGE_BYTES, budgets, status } },
    thread: CONTROL_THREAD,
  });
  const args = {
    ...{ model: 'fake', mmap: false, gpuLayers: 0, rows: 64, pageBytes: PAGE_BYTES, owner: 'it' },
    shape: { lanes: LANES, cells: CELLS, context: CONTEXT },
    ...{ threads: 1, promptThreads: 1, flashAttention: false, checkpointBytes: 0, broker: brokerId, status },
  };
  const engineId = await stage.spawn({ name: 'engine', actor: engine, args, thread: ENGINE_THREAD });
  const residencyId = await stage.spawn({
    ...{ name: 'residency', actor: residencyOver(genes) },
    args: {
      ...{ default: [], slots: SLOTS, hostBytes: HOST_BYTES, model: 1 },
      ...{ engine: engineId, broker: brokerId },
    },
    thread: CONTROL_THREAD,
  });
  const pagerId = await stage.spawn({
    ...{ name: 'pager', actor: pagerOver(pages) },
    args: {
      ...{ broker: brokerId, engine: engineId, residency: residencyId },
      ...{ dir: DIR, diskBytes: budgets.disk, fingerprint: FINGERPRINT },
    },
    thread: CONTROL_THREAD,
  });
  const reader = new Reader();
  const readerId = await stage.settle(
    stage.system.main.spawn(reader.definition, { name: 'reader', args: undefined }),
  );
  const mindArgs = {
    ...{ model: 1, modelName: 'fake', limits: Int32Array.of(CONTEXT), engine: engineId, broker: brokerId },
    genes: [],
  };
  let turns = 0;
  return {
    ...{ system: stage.system, reader, readerId, pager: pagerId, residency: residencyId },
    ...{ modelName: 'fake', mindArgs, nextTurn: () => ++turns, pages: async () => [], close() {} },
  };
}
