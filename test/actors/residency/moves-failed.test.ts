/** R4: what fails when genes move, and is no failure of the move itself, crashes the actor that moves them. */
import { beforeEach, expect, test } from 'vitest';
import type { GeneWork } from '../../../src/actors/residency/gene-jobs.js';
import { Inventory } from '../../../src/actors/residency/inventory.js';
import { type MoveAgain, Mover } from '../../../src/actors/residency/mover.js';
import type { Definition } from '../../../src/runtime/actor.js';
import { TestSystem } from '../../../src/testing/index.js';

interface Out {
  readonly type: 'out';
  readonly name: string;
}

/** Gene 1 moves in place, gene 2 is copied. */
const GENES = [1, 2].map((id) => ({
  ...{ id, name: `${id}`, path: `${id}`, hash: `${id}`, rank: 1, weights: 1, bytes: 10, learning: false },
  ...{ inPlace: id === 1, tier: 'device' as const },
}));
const work: GeneWork = {
  load: async () => GENES[0] as (typeof GENES)[0],
  unload: async () => undefined,
  move: async () => ({ moved: true, tMs: 1 }),
  moveInPlace: () => {},
  list: async () => [],
  close: async () => {},
};

/** Moves genes as the residency does; the first who hears of moves cannot. */
const moving: Definition = {
  kind: 'moving',
  start(ctx) {
    const inventory = new Inventory(GENES);
    const mover = new Mover(
      ctx,
      inventory,
      work,
      { slots: 2, hostBytes: 100 },
      {
        ...{ held: () => [], fixed: () => [], begins() {}, came() {}, failed() {} },
        ended() {
          if (ctx.incarnation === 0) throw new Error('no ledger to tell');
        },
      },
    );
    mover.begin();
    return {
      receive: ({ name }: Out) => mover.order(inventory.of(name), 'host'),
      control: (message: MoveAgain) => mover.hear(message),
    };
  },
};

let stage: TestSystem;
beforeEach(async () => {
  stage = await TestSystem.start();
});

test.each([
  ['in place', '1'],
  ['by a copy', '2'],
])('R4 after a gene has moved %s; it starts again and goes on', async (_, name) => {
  const actor = await stage.spawn({ name: 'moving', actor: moving });
  const out = (): Promise<unknown> => stage.ask(actor, { type: 'out', name } satisfies Out);
  await expect(out()).rejects.toMatchObject({
    code: 'ActorCrashed',
    detail: { message: 'moves-failed', cause: expect.stringContaining('no ledger to tell') },
  });
  expect(await out()).toMatchObject({ resident: false, nMoved: 10 });
});
