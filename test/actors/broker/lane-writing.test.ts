/** A lane on its way to disk, where nobody says what became of it. */
import { expect, it } from 'vitest';
import { LaneWriting } from '../../../src/actors/broker/lane-writing.js';
import type { LaneState } from '../../../src/actors/broker/queue.js';

const LANE: LaneState = {
  ...{ lane: 0, state: 'idle', activity: '1/main', grant: 1, held: 10, reserved: 0, bytes: 100 },
  ...{ stretches: [], lastUse: 0 },
};

it('E7 is waited for no longer than its engine is there', async () => {
  let waits = 0;
  const wait = (): (() => void) => {
    waits++;
    return () => void waits--;
  };
  const writing = new LaneWriting({ tell: () => true, wait }, { of: () => undefined });
  const written = writing.write(LANE, 7);
  const still = writing.still('1/main');
  expect(waits).toBe(1);
  writing.closed();
  expect(await written).toBe('gone');
  await still;
  expect(waits).toBe(0);
});
