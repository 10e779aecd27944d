import { describe, expect, it } from 'vitest';
import { nextRead, READ_AHEAD } from '../../../src/actors/broker/next-read.js';
import type { WaitingTurn } from '../../../src/actors/broker/queue.js';

const turn = (grant: number, rank = 1): WaitingTurn => ({
  ...{ grant, rank, activity: `${grant}/main`, since: grant, cells: 1, genes: [], notBefore: 0 },
  keeps: false,
  account: { work: 0, servedAt: Number.NEGATIVE_INFINITY },
});
const turns = (count: number, rank = 1) => Array.from({ length: count }, (_, grant) => turn(grant, rank));

describe('which room is read next', () => {
  it('T5 that of the turn that goes first', () => {
    expect(nextRead([turn(1), turn(2, 0), turn(3, 0)], [], 0)?.grant).toBe(2);
    expect(nextRead([], [], 0)).toBeUndefined();
  });

  it('P5 none while so many are read for turns before it', () => {
    const late = turn(100);
    expect(nextRead([late], turns(READ_AHEAD), 0)).toBeUndefined();
    expect(nextRead([late], turns(READ_AHEAD - 1), 0)).toBe(late);
    expect(nextRead([late], turns(READ_AHEAD, 2), 0)).toBe(late);
  });
});
