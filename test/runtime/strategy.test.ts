import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planRestart, STRATEGIES, type Strategy } from '../../src/runtime/strategy.js';
import { type CrashRecord, NO_CRASHES } from '../../src/runtime/supervision.js';

interface Node {
  readonly name: string;
  up: boolean;
}

/** A supervisor and its children on plain data; a child that is a supervisor is `inner`. */
interface Level {
  readonly strategy: Strategy;
  readonly count: number;
  record: CrashRecord;
  children: Node[];
  inner: Level | undefined;
  givenUp: boolean;
  lives: number;
}

const WITHIN_MS = 1_000;
const policy = (count: number) => ({
  count,
  withinMs: WITHIN_MS,
  backoff: { firstMs: 1, mostMs: 64, jitter: 0.5 },
});

const level = (strategy: Strategy, count: number, children: number, inner?: Level): Level => ({
  strategy,
  count,
  record: NO_CRASHES,
  children: Array.from({ length: children }, (_, i) => ({ name: `c${i}`, up: true })),
  inner,
  givenUp: false,
  lives: 0,
});

/** What should start again, said in another way than the code says it: by the place of each child. */
function model(strategy: Strategy, up: readonly boolean[], crashed: number): number[] {
  const goes = {
    'one-for-one': (i: number) => i === crashed,
    'rest-for-one': (i: number) => i >= crashed || !up[i],
    'one-for-all': () => true,
  }[strategy];
  return up.flatMap((_, i) => (goes(i) ? [i] : []));
}

/** The child at `crashed` crashes; `fails` is the child that does not come up again, if it is among those started. */
function crash(at: Level, crashed: number, fails: number, now: number, times: number[]): boolean {
  const node = at.children[crashed] as Node;
  node.up = false;
  const up = at.children.map((child) => child.up);
  const plan = planRestart(
    { children: at.children, crashed: node, record: at.record, now },
    at.strategy,
    policy(at.count),
    () => 1,
  );
  const recent = times.filter((time) => now - time < WITHIN_MS).length;
  expect(plan.type).toBe(recent < at.count ? 'restart' : 'escalate');
  if (plan.type === 'escalate') return false;
  times.push(now);
  at.record = plan.record;
  const index = (child: Node): number => at.children.indexOf(child);
  const start = plan.start.map(index);
  expect(start).toEqual(model(at.strategy, up, crashed));
  // Those that run and go with it stop, the last first; nobody else is touched.
  expect(plan.stop.map(index)).toEqual(start.filter((i) => up[i]).reverse());
  expect(plan.afterMs).toBeLessThanOrEqual(64);
  for (const child of plan.stop) child.up = false;
  for (const i of start) {
    if (i === fails) break;
    (at.children[i] as Node).up = true;
  }
  return true;
}

test('R4 over any crashes: each strategy starts whom it should, in order; intensity is never exceeded, at either level', () => {
  const strategy = fc.constantFrom(...STRATEGIES);
  const step = fc.record({ gap: fc.nat(400), crashed: fc.nat(), fails: fc.nat(9) });
  fc.assert(
    fc.property(
      fc.tuple(strategy, strategy),
      fc.tuple(fc.nat(3), fc.nat(3)),
      fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
      fc.array(step, { maxLength: 60 }),
      ([outer, inner], [outerCount, innerCount], [brothers, children], steps) => {
        const under = level(inner, innerCount, children);
        const top = level(outer, outerCount, brothers, under);
        const topTimes: number[] = [];
        let times: number[] = [];
        let now = 0;
        for (const { gap, crashed, fails } of steps) {
          now += gap;
          const down = under.children.findIndex((child) => !child.up);
          // One that failed to start crashes next: the group waits for it.
          const who = down >= 0 ? down : crashed % children;
          if (crash(under, who, fails, now, times)) continue;
          // It gives up, and is a child of the one above that crashed.
          if (!crash(top, crashed % brothers, -1, now, topTimes)) {
            top.givenUp = true;
            return;
          }
          under.record = NO_CRASHES;
          under.lives++;
          times = [];
          for (const child of under.children) child.up = true;
          expect(top.children.every((child) => child.up)).toBe(true);
        }
        expect(under.lives).toBe(topTimes.length);
      },
    ),
  );
});
