/**
 * Supervisors under chance, in virtual time: any tree, any crashes, freed or lost threads, in any order. Whatever comes,
 * everything asked settles, and in the end every child is up under a living supervisor or gone with it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Definition, SpawnOptions } from '../../src/runtime/actor.js';
import { threadOf } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import { STRATEGIES, type Strategy } from '../../src/runtime/strategy.js';
import type { SupervisorArgs } from '../../src/runtime/supervision-protocol.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { TestSystem } from '../../src/testing/index.js';

const THREADS = [
  { name: 'a', host: true },
  { name: 'b', host: true },
];
const HOSTS = [2, 3];
const LEAVES = ['one', 'two', 'three', 'four'];

/** Counts what it is told, crashes when told to, and may crash at its next starts. */
const leaf: Definition = {
  kind: 'leaf',
  start(ctx, _args, saved) {
    const failing = (saved.get('failing') as number | undefined) ?? 0;
    if (failing > 0) {
      ctx.save('failing', failing - 1);
      throw new Error('not yet');
    }
    let count = (saved.get('count') as number | undefined) ?? 0;
    return {
      receive({ type, starts }: Message & { starts?: number }) {
        if (type === 'fail-to-start') ctx.save('failing', starts);
        if (type === 'crash') throw new Error('told to');
        if (type === 'count') ctx.save('count', ++count);
        return count;
      },
    };
  },
};

type Step =
  | { readonly type: 'crash' | 'count' | 'stop'; readonly name: string }
  | { readonly type: 'fail-to-start'; readonly name: string; readonly starts: number }
  | { readonly type: 'lose'; readonly thread: number }
  | { readonly type: 'pass'; readonly ms: number };

const name = fc.constantFrom(...LEAVES);
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('crash' as const, 'count' as const), name }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('stop' as const), name }) },
    {
      weight: 1,
      arbitrary: fc.record({
        ...{ type: fc.constant('fail-to-start' as const), name },
        starts: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('lose' as const), thread: fc.constantFrom(...HOSTS) }),
    },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.nat(3_000) }) },
  ),
  { maxLength: 25 },
);

async function run(seed: number, [outer, inner]: readonly Strategy[], count: number, todo: readonly Step[]) {
  const stage = await TestSystem.start({ seed, threads: THREADS });
  const { system } = stage;
  // Known to the threads of the test from now on.
  const known = await stage.spawn({ name: 'known', actor: leaf, thread: 2 });
  const module = await moduleOf(stage);
  await stage.stopActor(known);
  const child = (leafName: string, i: number): SpawnOptions => ({
    ...{ name: leafName, module, args: undefined, thread: HOSTS[i % 2] as number },
  });
  const [first, ...others] = LEAVES.map(child) as [SpawnOptions, ...SpawnOptions[]];
  const intensity = { count, withinMs: 10_000 };
  const args = (strategy: Strategy | undefined, children: SpawnOptions[]): SupervisorArgs => ({
    ...{ strategy: strategy as Strategy, children, intensity },
  });
  const under = { name: 'inner', module: SUPERVISOR, args: args(inner, others), thread: 3 };
  const top = await stage.spawn({
    name: 'outer',
    actor: SUPERVISOR,
    args: args(outer, [first, under]),
    thread: 2,
  });
  const asked: Promise<unknown>[] = [];
  const losses = new Map<number, number>();
  for (const step of todo) {
    if (step.type === 'pass') await stage.advance(step.ms);
    else if (step.type === 'lose') {
      const before = losses.get(step.thread) ?? 0;
      // One more would end the system.
      if (before >= 4) continue;
      losses.set(step.thread, before + 1);
      stage.loseThread(step.thread);
    } else {
      const id = await stage.settle(system.lookup(step.name).catch(() => undefined));
      if (id === undefined) continue;
      const settled = step.type === 'stop' ? system.stopActor(id, 'enough') : system.ask(id, { ...step });
      asked.push(settled.then(String, (error) => error.code));
    }
  }
  await stage.advance(120_000);
  const answers = await stage.settle(Promise.all(asked));
  const { actors } = system.inspect();
  const states = new Map(actors.map((actor) => [actor.name, actor.state]));
  const up: boolean[] = [];
  for (const leafName of LEAVES) {
    const id = await stage.settle(system.lookup(leafName));
    if (id === undefined) continue;
    up.push(
      await stage.settle(
        system.ask(id, { type: 'look' }).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(HOSTS).toContain(threadOf(id));
  }
  const pending = system.main.asks.size;
  const isUp = (await stage.settle(system.lookup('outer'))) === top;
  await stage.stop();
  return { answers, states, up, pending, isUp };
}

/** The name under which the test's threads find `leaf`. */
async function moduleOf(stage: TestSystem): Promise<string> {
  const probe = 'leaf again';
  const id = await stage.spawn({ name: probe, actor: leaf, thread: 3 });
  await stage.stopActor(id);
  return 'test:leaf/1';
}

test('R4 under any crashes, stops, failed starts and lost threads everything settles, and what lives is up', async () => {
  const strategy = fc.constantFrom(...STRATEGIES);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.tuple(strategy, strategy),
      fc.integer({ min: 1, max: 4 }),
      steps,
      async (seed, strategies, count, todo) => {
        const { answers, states, up, pending, isUp } = await run(seed, strategies, count, todo);
        for (const answer of answers) {
          expect(answer).toMatch(
            /^(\d+|undefined|ActorCrashed|ActorEnded|SiblingCrashed|ThreadLost|AskTimeout)$/,
          );
        }
        expect(pending).toBe(0);
        expect(up).toEqual(up.map(() => true));
        for (const state of states.values()) expect(state).toBe('idle');
        // Who gives up takes all with it.
        if (!isUp) expect(up).toEqual([]);
      },
    ),
    { numRuns: 40 },
  );
});
