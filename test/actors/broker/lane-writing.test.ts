/** A lane on its way to disk, where nobody says what became of it. */
import { expect, it } from 'vitest';
import { LaneWriting } from '../../../src/actors/broker/lane-writing.js';
import type { LaneState } from '../../../src/actors/broker/queue.js';

const LANE: LaneState = {
  ...{ lane: 0, state: 'idle', activity: '1/main', grant: 1, held: 10, reserved: 0, bytes: 100 },
  ...{ stretches: [], lastUse: 0 },
};
/** Five seconds of the pager, and one for its word. */
const DEADLINE_MS = 6_000;

/** What a context has of it: its waits, its timers, and its clock. */
function stageOf() {
  const open = { waits: 0, timers: [] as number[] };
  const ctx = {
    now: 0,
    tell: () => true,
    wait: () => {
      open.waits++;
      return () => void open.waits--;
    },
    after: (ms: number) => {
      open.timers.push(ms);
      return () => void open.timers.splice(open.timers.indexOf(ms), 1);
    },
  };
  return { ctx, open, writing: new LaneWriting(ctx, { of: () => undefined }) };
}

it('E7 is waited for no longer than its engine is there', async () => {
  const { open, writing } = stageOf();
  const written = writing.write(LANE, 7);
  const still = writing.still('1/main');
  expect(open.waits).toBe(1);
  writing.closed();
  expect(await written).toBe('gone');
  await still;
  expect(open).toEqual({ waits: 0, timers: [] });
});

it('E7 is waited for no longer than until its deadline', async () => {
  const { ctx, open, writing } = stageOf();
  const written = writing.write(LANE, 7);
  expect(open.timers).toEqual([DEADLINE_MS]);
  ctx.now = DEADLINE_MS - 1;
  writing.giveUpLate();
  expect(open.waits).toBe(1);
  ctx.now = DEADLINE_MS;
  writing.giveUpLate();
  expect(await written).toBe('refused');
  expect(open).toEqual({ waits: 0, timers: [] });
});

it('E7 a deadline of one before it ends nothing', async () => {
  const { ctx, open, writing } = stageOf();
  const first = writing.write(LANE, 7);
  ctx.now = DEADLINE_MS;
  void writing.write({ ...LANE, lane: 1 }, 7);
  expect(await first).toBe('refused');
  writing.giveUpLate();
  expect(open.waits).toBe(1);
});
