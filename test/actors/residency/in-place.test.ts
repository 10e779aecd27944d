/** G4: genes that move without a copy move where the residency is, and never so many at once that nobody else is heard. */
import { beforeEach, expect, test } from 'vitest';
import type { GeneWork } from '../../../src/actors/residency/gene-jobs.js';
import type { NamedGeneInfo } from '../../../src/actors/residency/protocol.js';
import { residencyOver } from '../../../src/actors/residency/residency.js';
import type { Tier } from '../../../src/native/addon.js';
import { Band, type Message } from '../../../src/runtime/message.js';
import { type ProbeActor, TestSystem } from '../../../src/testing/index.js';

/** More than one handler moves. */
const MANY = 40;
const NAMES = Array.from({ length: MANY }, (_, i) => `${i + 1}`);

let stage: TestSystem;
let broker: ProbeActor;
let residency: number;
/** What moved in place. */
let moved: { readonly gene: number; readonly to: Tier }[];
beforeEach(async () => {
  stage = await TestSystem.start();
  broker = await stage.probe('broker');
  moved = [];
  let last = 0;
  const work: GeneWork = {
    load: async () => {
      const id = ++last;
      return { id, hash: `${id}`, rank: 1, weights: 1, bytes: 10, inPlace: true, tier: 'device' };
    },
    unload: async () => undefined,
    // The pool's threads stand still.
    move: () => new Promise(() => {}),
    moveInPlace: (gene, to) => void moved.push({ gene, to }),
    list: async () => [],
    close: async () => {},
  };
  const args = { default: [], slots: undefined, hostBytes: 10 * MANY, model: 1 };
  residency = await stage.spawn({
    name: 'residency',
    actor: residencyOver(() => work),
    args: { ...args, engine: broker.id, broker: broker.id },
  });
});

async function bringAndPageOut(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const load = { type: 'load', path: name, name, replace: false, learning: false };
    await stage.settle(stage.system.ask(residency, load));
    await stage.settle(stage.system.ask(residency, { type: 'page-out', name }));
  }
}
function pin(names: readonly string[]): void {
  const genes = names.map((gene) => ({ gene, scale: 1 }));
  broker.tell(residency, { type: 'pin', grant: 1, activity: '9/main', turn: 1, genes } as Message, {
    band: Band.reserved,
  });
}
const pinned = () => broker.left.filter(({ type }) => type === 'pinned');

test('G4 a gene that moves in place waits for no thread', async () => {
  await bringAndPageOut(['1']);
  pin(['1']);
  await stage.idle();
  expect(moved).toEqual([
    { gene: 1, to: 'host' },
    { gene: 1, to: 'device' },
  ]);
  expect(pinned()).toMatchObject([{ grant: 1, missed: { genes: 1, bytes: 10 } }]);
});

test('R2 of many that move in place at once, others are heard between', async () => {
  await bringAndPageOut(NAMES);
  moved = [];
  pin(NAMES);
  const answer = broker.ask<NamedGeneInfo[]>(residency, { type: 'list' }, { band: Band.control });
  const tiers = (await stage.settle(answer)).map(({ tier }) => tier);
  expect(tiers.filter((tier) => tier === 'device')).toHaveLength(32);
  await stage.idle();
  expect(moved).toHaveLength(MANY);
  expect(pinned()).toMatchObject([{ grant: 1, missed: { genes: MANY } }]);
});
