import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/actors/mind/turn.js';
import { Turns } from '../../../src/actors/mind/turns.js';

const turn = (number: number): Turn => ({ request: { turn: number }, ticket: 0, grant: 0 }) as Turn;

describe('the turns of a mind', () => {
  it('E4 a cancel that comes before its turn is remembered until the turn has come', () => {
    const turns = new Turns(0);
    turns.cancelEarly(2);
    expect([turns.add(turn(1)), turns.add(turn(2)), turns.add(turn(3))]).toEqual([true, false, true]);
  });

  it('E4 of a turn that has come nothing is remembered', () => {
    const turns = new Turns(0);
    turns.add(turn(5));
    turns.cancelEarly(4);
    expect(turns.add(turn(4))).toBe(true);
  });

  it('E4 of one that was refused on its way nothing is kept beyond the next', () => {
    const turns = new Turns(0);
    turns.cancelEarly(6);
    turns.add(turn(7));
    expect(turns.add(turn(6))).toBe(true);
  });

  it('T1 tickets of a mind that was started again are above those of before', () => {
    const [before, after] = [new Turns(0), new Turns(1)];
    const [first, second] = [turn(1), turn(1)];
    before.queue(first);
    after.queue(second);
    expect(second.ticket).toBeGreaterThan(first.ticket);
  });

  it('T1 a turn that asks again is known by its new ticket only', () => {
    const turns = new Turns(0);
    const asked = turn(1);
    turns.queue(asked);
    const old = asked.ticket;
    turns.queue(asked);
    expect([turns.byTicket(old), turns.byTicket(asked.ticket)]).toEqual([undefined, asked]);
  });

  it('T7 a turn that ended has no name any more', () => {
    const turns = new Turns(0);
    const ended = turn(1);
    turns.add(ended);
    turns.queue(ended);
    turns.run(ended, { grant: 9, lane: 0, read: undefined });
    turns.remove(ended);
    expect([turns.get(1), turns.byTicket(ended.ticket), turns.byGrant(9), turns.size]).toEqual([
      undefined,
      undefined,
      undefined,
      0,
    ]);
    expect(ended.stage).toBe('ended');
  });
});
