import { beforeEach, describe, expect, it } from 'vitest';
import { type Grant, type Request, TurnBook } from '../../../src/actors/broker/turn-book.js';

const ADA = 1;
const BEN = 2;
let turns: TurnBook;
beforeEach(() => {
  turns = new TurnBook(100);
});
const ask = (mind: number, ticket: number, room = 'main'): Request =>
  turns.add(
    { type: 'request', ticket, activity: `${mind}/${room}`, class: 'interactive', cells: 10, genes: [] },
    mind,
    0,
  );
const granted = (request: Request): Grant => {
  const grant = turns.grant(request, 0, 7);
  turns.serve(grant, { genes: [], missed: { genes: 0, bytes: 0 } }, 7);
  return grant;
};

describe('the book of the broker', () => {
  it('T1 numbers go up from where it is told to begin', () => {
    expect([ask(ADA, 1).grant, ask(BEN, 1).grant]).toEqual([101, 102]);
  });

  it('T1 a request waits until it is granted, and is granted until it is closed', () => {
    const request = ask(ADA, 5);
    expect([turns.waiting.size, turns.granted.size]).toEqual([1, 0]);
    granted(request);
    expect([turns.waiting.size, turns.granted.size]).toEqual([0, 1]);
    expect(turns.close(request.grant)?.request).toBe(request);
    expect([turns.waiting.size, turns.granted.size]).toEqual([0, 0]);
  });

  it('T1 a ticket names its request until that is over', () => {
    const request = ask(ADA, 5);
    expect(turns.number(ADA, 5)).toBe(request.grant);
    granted(request);
    expect(turns.number(ADA, 5)).toBe(request.grant);
    turns.close(request.grant);
    expect(turns.number(ADA, 5)).toBeUndefined();
    expect(turns.number(BEN, 5)).toBeUndefined();
  });

  it('T1 what waits can be dropped once, what is granted cannot', () => {
    const waiting = ask(ADA, 1);
    const running = ask(ADA, 2, 'parlour');
    granted(running);
    expect([turns.drop(waiting.grant), turns.drop(waiting.grant), turns.drop(running.grant)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(turns.numbersOf(ADA)).toEqual([running.grant]);
  });

  it('E5 a request of an activity that still has a grant waits until that is closed', () => {
    const first = ask(ADA, 1);
    granted(first);
    const second = ask(ADA, 2);
    expect([...turns.waiting.keys()]).toEqual([]);
    expect(turns.takeFresh()).toEqual([]);
    turns.close(first.grant);
    expect([...turns.waiting.values()]).toEqual([second]);
    expect(turns.takeFresh()).toEqual([second]);
  });

  it('E5 one that waits behind a grant can be dropped', () => {
    const first = ask(ADA, 1);
    granted(first);
    const second = ask(ADA, 2);
    expect([turns.drop(second.grant), turns.drop(second.grant)]).toEqual([true, false]);
    turns.close(first.grant);
    expect([turns.waiting.size, turns.numbersOf(ADA)]).toEqual([0, []]);
  });

  it('T1 what an activity asks for is waited for one after the other, in order', () => {
    const [first, second, third] = [ask(ADA, 1), ask(ADA, 2), ask(ADA, 3)];
    expect([...turns.waiting.values()]).toEqual([first]);
    expect(turns.isWanted('1/main')).toBe(true);
    turns.drop((second as Request).grant);
    turns.drop((first as Request).grant);
    expect([...turns.waiting.values()]).toEqual([third]);
    turns.drop((third as Request).grant);
    expect(turns.isWanted('1/main')).toBe(false);
  });

  it('T3 those that came to wait are named once, and only while they wait', () => {
    const [first, second, third] = [ask(ADA, 1), ask(BEN, 1), ask(3, 1)] as [Request, Request, Request];
    granted(first);
    turns.drop(third.grant);
    expect(turns.takeFresh()).toEqual([second]);
    expect(turns.takeFresh()).toEqual([]);
  });

  it('T5 a mind that comes back is lifted to the least of those waiting', () => {
    ask(BEN, 1).account.work = 500;
    expect(ask(ADA, 1).account.work).toBe(500);
  });

  it('T5 a mind whose turn runs was not away', () => {
    const running = ask(ADA, 1);
    granted(running);
    ask(BEN, 1).account.work = 500;
    expect(ask(ADA, 2).account.work).toBe(0);
  });

  it('T5 a run is charged to its mind', () => {
    turns.charge(granted(ask(ADA, 1)), 100, 30);
    expect(ask(ADA, 2).account.work).toBe(160);
  });

  it('T5 a grant tells the account when the mind was served', () => {
    expect(granted(ask(ADA, 1)).request.account.servedAt).toBe(7);
  });

  it('T6 a mind that is forgotten can still have its grants closed, and leaves nothing', () => {
    const request = ask(ADA, 1);
    const grant = granted(request);
    turns.forget(ADA);
    expect(turns.close(request.grant)).toBe(grant);
    turns.charge(grant, 10, 10);
    expect([turns.knows(ADA), turns.numbersOf(ADA)]).toEqual([false, []]);
  });
});
