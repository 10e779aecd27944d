/** Genes and the memory that they take, through the public face: what leaves comes back, and nobody says anything else. */
import { afterEach, expect, it } from 'vitest';
import type { Mind, PoolReport, Troupe } from '../../src/index.js';
import { geneFile, greedy, probesOf, startTroupe } from './stage.js';

const GENES = ['kjv', 'melville'] as const;
type Name = (typeof GENES)[number];
const say = { maxTokens: 16, sampling: greedy };

let troupe: Troupe;
afterEach(() => troupe.stop());

/** A mind that runs a gene, which is loaded. */
async function mindOf(gene: Name): Promise<Mind> {
  await troupe.genes.load(geneFile(gene), { name: gene });
  return troupe.mind(`${gene}-mind`, { genes: [{ gene, scale: 1 }] });
}
const tiers = async () =>
  Object.fromEntries((await troupe.genes.list()).map(({ name, tier }) => [name, tier]));
const hostPool = async () => (await troupe.memory()).pools[0] as PoolReport;
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
const said = async (mind: Mind, room: string) => {
  const { text, receipt } = await mind.turn('Tell me about the sea.', { ...say, room }).result;
  return { text, missed: receipt.genesMissed.genes };
};

it('G6 a gene that a room ran comes back when the next turn has ended, and that room misses nothing', async () => {
  troupe = await startTroupe({ lanes: 2 });
  const [kjv, melville] = [await mindOf('kjv'), await mindOf('melville')];
  await said(kjv, 'main');
  expect(await troupe.genes.pageOut('kjv')).toMatchObject({ resident: false });
  await said(melville, 'main');
  await eventually(async () => (await tiers()).kjv === 'device');
  expect(await said(kjv, 'main')).toMatchObject({ missed: 0 });
  expect(await troupe.genes.stats()).toMatchObject({ pagedOut: 1, pagedIn: 1, pagedInOnDemand: 0 });
});

it('B1 B5 when memory is short the coldest gene goes to disk, and a turn that runs it says what it said', async () => {
  // One lane and no pages: what can be moved is genes alone.
  troupe = await startTroupe({ lanes: 1, memory: { pages: 0 } });
  const before = {
    kjv: await said(await mindOf('kjv'), '1'),
    melville: await said(await mindOf('melville'), '1'),
  };
  const [{ bytes } = { bytes: 0 }] = await troupe.genes.list();
  const ofGenes = async () => (await troupe.memory()).leases.filter(({ kind }) => kind === 'genes');
  const unpinned = GENES.map((owner) => ({ owner, tier: 'device', bytes, floorBytes: 0 }));
  await eventually(async () => (await ofGenes()).filter(({ floorBytes }) => floorBytes === 0).length === 2);
  expect(await ofGenes()).toMatchObject(unpinned);
  const { floorBytes } = await hostPool();
  await troupe.stop();

  // Full to 0.85 with both, and to 0.43 with one.
  const device = floorBytes + Math.floor(2.35 * bytes);
  troupe = await startTroupe({ lanes: 1, memory: { pages: 0, device } });
  using pages = probesOf(troupe, 'genome.page');
  const kjv = await mindOf('kjv');
  for (const room of ['1', '2']) expect((await said(kjv, room)).text).toBe(before.kjv.text);
  const melville = await mindOf('melville');
  await eventually(async () => (await tiers()).melville === 'disk');
  expect((await tiers()).kjv).toBe('device');
  expect(pages.seen).toMatchObject([{ gene: 'melville', from: 'device', to: 'disk', cause: 'relief' }]);
  expect(await said(melville, '1')).toEqual({ ...before.melville, missed: 1 });
});
