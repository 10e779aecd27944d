/** Deadlocks on real threads, and what only looks like one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActorId } from '../../src/runtime/address.js';
import { actorModule, CONTROL, failure, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

let stage: Stage;
let count = 0;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const MODULE = actorModule('asker');
const spawn = (thread: number): Promise<ActorId> =>
  stage.system.spawn({ name: `asker-${count++}`, module: MODULE, args: {}, thread });
/** Asks the first of the way, which asks the next one, and so on. */
const along = ([first, ...way]: readonly ActorId[], holdMs?: number): Promise<unknown> =>
  stage.ask(first as ActorId, { type: 'ask', way, holdMs }, { deadlineMs: 60_000 });
/** A number below `n`, from a seed. */
const dice = (seed: number) => (n: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * n);
};

describe('R5 deadlocks on real threads', () => {
  test.each([
    ['a pair on one thread', [HOST_A, HOST_A]],
    ['a pair on two threads', [HOST_A, HOST_B]],
    ['three on two threads', [HOST_A, HOST_B, HOST_A]],
    ['four on four threads', [MAIN, CONTROL, HOST_A, HOST_B]],
  ])('R5 %s', async (_, threads) => {
    const ring = await Promise.all(threads.map(spawn));
    const error = await failure(along([...ring, ring[0] as ActorId]));
    expect(error).toMatchObject({ code: 'Deadlock' });
    const { cycle } = error.detail as { cycle: { actor: string; message: string }[] };
    expect(cycle.map(({ message }) => message)).toEqual(ring.map(() => 'ask'));
    expect(new Set(cycle.map(({ actor }) => actor)).size).toBe(ring.length);
    for (const { actor } of cycle) expect(error.message).toContain(actor);
    // All of it goes on.
    expect(await Promise.all(ring.map((id) => along([id])))).toEqual(ring.map(() => 'there'));
  });

  test('R5 a ring closed from both sides at the same time ends with one wait', async () => {
    const [ada, bob] = (await Promise.all([HOST_A, HOST_B].map(spawn))) as [ActorId, ActorId];
    let met = 0;
    for (let round = 0; round < 40; round++) {
      const settled = await Promise.allSettled([along([ada, bob]), along([bob, ada])]);
      const failed = settled.filter(({ status }) => status === 'rejected');
      expect(failed.length).toBeLessThan(2);
      for (const one of failed) expect(one).toMatchObject({ reason: { code: 'Deadlock' } });
      met += failed.length;
    }
    expect(met).toBeGreaterThan(0);
  });

  test('R5 nobody who asks in one order is ever in a ring', async () => {
    const threads = [CONTROL, HOST_A, HOST_B];
    const actors = await Promise.all(Array.from({ length: 200 }, (_, i) => spawn(threads[i % 3] as number)));
    const pick = dice(7);
    const ways = Array.from({ length: 600 }, () => {
      const places = new Set(Array.from({ length: 2 + pick(4) }, () => pick(actors.length)));
      return [...places].sort((a, b) => a - b).map((at) => actors[at] as ActorId);
    });
    const answers = await Promise.all(ways.map((way) => along(way, pick(10))));
    expect(new Set(answers)).toEqual(new Set(['there']));
  });
});
