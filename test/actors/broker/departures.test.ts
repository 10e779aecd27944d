/** Lanes that leave to disk before the context is made smaller: which, when, and what stays. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Departures, nextToLeave } from '../../../src/actors/broker/departures.js';
import type { LaneState } from '../../../src/actors/broker/queue.js';
import type { Written } from '../../../src/actors/broker/writings.js';
import { settled } from '../thread.js';

const lane = (number: number, lastUse: number, state: LaneState['state'] = 'idle'): LaneState => ({
  ...{
    lane: number,
    state,
    activity: `${number}/main`,
    grant: 0,
    held: 10,
    bytes: 100,
    stretches: [],
    reserved: 0,
    lastUse,
  },
});
const none = (): boolean => false;

describe('the lane that leaves next', () => {
  it.each([
    ['the one least recently used', [lane(0, 3), lane(1, 1), lane(2, 2)], none, 1],
    ['an idle one', [lane(0, 1, 'busy'), lane(1, 2), lane(2, 0, 'empty')], none, 1],
    ['one for which no turn waits', [lane(0, 1), lane(1, 2)], (activity: string) => activity === '0/main', 1],
    ['the one least recently used where turns wait for all', [lane(0, 2), lane(1, 1)], () => true, 1],
    ['none where all are busy or empty', [lane(0, 1, 'busy'), lane(1, 2, 'empty')], none, undefined],
  ])('B4 is %s', (_, lanes, isWanted, expected) => {
    expect(nextToLeave(lanes, isWanted)?.lane).toBe(expected);
  });
});

describe('lanes that leave', () => {
  const told: number[] = [];
  let lanes: LaneState[];
  let pager: number | undefined;
  let over: (written: Written) => void;
  const departures = new Departures({
    lanes: () => lanes,
    isWanted: none,
    write: ({ lane: number }) => {
      told.push(number);
      return new Promise((resolve) => (over = resolve));
    },
    pager: () => pager,
  });
  beforeEach(() => {
    told.length = 0;
    lanes = [lane(0, 2), lane(1, 1)];
    pager = 7;
  });
  const says = async (written: Written): Promise<void> => {
    over(written);
    await settled(2);
  };

  it('B4 do so one after another: the next when the one before it is on disk', async () => {
    const leaving = departures.leave(() => true);
    await settled(2);
    expect(told).toEqual([1]);
    lanes = [lane(0, 2)];
    await says('there');
    expect(told).toEqual([1, 0]);
    await says('there');
    await leaving;
    expect(told).toEqual([1, 0]);
  });

  it('B4 stay from the one on that disk cannot take', async () => {
    const leaving = departures.leave(() => true);
    await settled(2);
    await says('refused');
    await leaving;
    expect(told).toEqual([1]);
  });

  it('B4 are passed over, and not asked for again, where they did not leave', async () => {
    const leaving = departures.leave(() => true);
    await settled(2);
    await says('gone');
    await says('gone');
    await leaving;
    expect(told).toEqual([1, 0]);
  });

  it('B4 are no more when there is no time, or nobody who writes', async () => {
    await departures.leave(() => false);
    pager = undefined;
    await departures.leave(() => true);
    expect(told).toEqual([]);
  });
});
