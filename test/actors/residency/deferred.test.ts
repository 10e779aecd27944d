/** B5: genes that take longer to leave than whoever asked for their memory waits. */
import { expect, test } from 'vitest';
import type { GeneWork } from '../../../src/actors/residency/gene-jobs.js';
import type { Relieve, Relieved } from '../../../src/actors/residency/protocol.js';
import { residencyOver } from '../../../src/actors/residency/residency.js';
import { Band } from '../../../src/runtime/message.js';
import { TestSystem } from '../../../src/testing/index.js';

/** A residency of two genes of ten bytes, each of whose moves takes a second. */
async function given() {
  const stage = await TestSystem.start();
  const engine = (await stage.probe('engine')).id;
  let last = 0;
  const later = <T>(value: T) =>
    new Promise<T>((resolve) => void stage.system.main.clock.after(1_000, () => resolve(value)));
  const work: GeneWork = {
    load: async () => ({
      id: ++last,
      hash: `${last}`,
      rank: 1,
      weights: 1,
      bytes: 10,
      inPlace: false,
      tier: 'device',
    }),
    unload: async () => undefined,
    move: () => later({ moved: true, tMs: 1_000 }),
    moveInPlace: () => {},
    list: async () => [],
    close: async () => {},
  };
  const args = { default: [], slots: undefined, hostBytes: 0, model: 1, engine };
  const id = await stage.spawn({ name: 'residency', actor: residencyOver(() => work), args });
  for (const name of ['a', 'b']) {
    await stage.settle(
      stage.system.ask(id, { type: 'load', path: name, name, replace: false, learning: false }),
    );
  }
  const answers: Relieved[] = [];
  const relieve = (ask: number, bytes: number, deadlineMs: number) => {
    const message: Relieve = { type: 'relieve', ask, bytes, tiers: ['device', 'host'], deadlineMs };
    void stage.system
      .ask<Relieved>(id, { ...message }, { band: Band.control })
      .then((answer) => answers.push(answer));
  };
  return { stage, answers, relieve };
}
const answer = (ask: number, outcome: Relieved['outcome'], bytes: number) => ({
  ...{ type: 'relieved', ask, outcome, bytes },
});

test('B5 at the deadline it says what has come free, and goes on with the rest', async () => {
  const { stage, answers, relieve } = await given();
  relieve(1, 20, 1_500);
  await stage.advance(1_400);
  expect(answers).toEqual([]);
  await stage.advance(100);
  expect(answers).toEqual([answer(1, 'deferred', 10)]);
  await stage.advance(1_000);
  relieve(2, 10, 100);
  await stage.advance(10);
  expect(answers).toEqual([answer(1, 'deferred', 10), answer(2, 'refused', 0)]);
});

test('B5 who asks again for bytes that are on their way has them counted once', async () => {
  const { stage, answers, relieve } = await given();
  relieve(1, 10, 500);
  await stage.advance(600);
  relieve(1, 10, 1_000);
  await stage.advance(500);
  expect(answers).toEqual([answer(1, 'deferred', 0), answer(1, 'released', 10)]);
  relieve(2, 10, 1_500);
  await stage.advance(1_100);
  expect(answers.at(-1)).toEqual(answer(2, 'released', 10));
});
