import { beforeEach, describe, expect, it } from 'vitest';
import { type Grant, Ledger, type Request } from '../../../src/actors/broker/ledger.js';

const ADA = 1;
const BEN = 2;
let ledger: Ledger;
beforeEach(() => {
  ledger = new Ledger(100);
});
const ask = (mind: number, ticket: number, room = 'main'): Request =>
  ledger.add(
    { type: 'request', ticket, activity: `${mind}/${room}`, class: 'interactive', cells: 10, genes: [] },
    mind,
    0,
  );
const granted = (request: Request): Grant => {
  const grant = ledger.grant(request, 0, 7);
  ledger.serve(grant, { genes: [], missed: { genes: 0, bytes: 0 } }, 7);
  return grant;
};

describe('the book of the broker', () => {
  it('T1 numbers go up from where it is told to begin', () => {
    expect([ask(ADA, 1).grant, ask(BEN, 1).grant]).toEqual([101, 102]);
  });

  it('T1 a request waits until it is granted, and is granted until it is closed', () => {
    const request = ask(ADA, 5);
    expect([ledger.waiting.size, ledger.granted.size]).toEqual([1, 0]);
    granted(request);
    expect([ledger.waiting.size, ledger.granted.size]).toEqual([0, 1]);
    expect(ledger.close(request.grant)?.request).toBe(request);
    expect([ledger.waiting.size, ledger.granted.size]).toEqual([0, 0]);
  });

  it('T1 a ticket names its request until that is over', () => {
    const request = ask(ADA, 5);
    expect(ledger.number(ADA, 5)).toBe(request.grant);
    granted(request);
    expect(ledger.number(ADA, 5)).toBe(request.grant);
    ledger.close(request.grant);
    expect(ledger.number(ADA, 5)).toBeUndefined();
    expect(ledger.number(BEN, 5)).toBeUndefined();
  });

  it('T1 what waits can be dropped once, what is granted cannot', () => {
    const waiting = ask(ADA, 1);
    const running = ask(ADA, 2, 'parlour');
    granted(running);
    expect([ledger.drop(waiting.grant), ledger.drop(waiting.grant), ledger.drop(running.grant)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(ledger.numbersOf(ADA)).toEqual([running.grant]);
  });

  it('E5 a request of an activity that still has a grant waits until that is closed', () => {
    const first = ask(ADA, 1);
    granted(first);
    const second = ask(ADA, 2);
    expect([...ledger.waiting.keys()]).toEqual([]);
    expect(ledger.takeFresh()).toEqual([]);
    ledger.close(first.grant);
    expect([...ledger.waiting.values()]).toEqual([second]);
    expect(ledger.takeFresh()).toEqual([second]);
  });

  it('E5 one that waits behind a grant can be dropped', () => {
    const first = ask(ADA, 1);
    granted(first);
    const second = ask(ADA, 2);
    expect([ledger.drop(second.grant), ledger.drop(second.grant)]).toEqual([true, false]);
    ledger.close(first.grant);
    expect([ledger.waiting.size, ledger.numbersOf(ADA)]).toEqual([0, []]);
  });

  it('T1 what an activity asks for is waited for one after the other, in order', () => {
    const [first, second, third] = [ask(ADA, 1), ask(ADA, 2), ask(ADA, 3)];
    expect([...ledger.waiting.values()]).toEqual([first]);
    expect(ledger.isWanted('1/main')).toBe(true);
    ledger.drop((second as Request).grant);
    ledger.drop((first as Request).grant);
    expect([...ledger.waiting.values()]).toEqual([third]);
    ledger.drop((third as Request).grant);
    expect(ledger.isWanted('1/main')).toBe(false);
  });

  it('T3 those that came to wait are named once, and only while they wait', () => {
    const [first, second, third] = [ask(ADA, 1), ask(BEN, 1), ask(3, 1)] as [Request, Request, Request];
    granted(first);
    ledger.drop(third.grant);
    expect(ledger.takeFresh()).toEqual([second]);
    expect(ledger.takeFresh()).toEqual([]);
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
    ledger.charge(granted(ask(ADA, 1)), 100, 30);
    expect(ask(ADA, 2).account.work).toBe(160);
  });

  it('T5 a grant tells the account when the mind was served', () => {
    expect(granted(ask(ADA, 1)).request.account.servedAt).toBe(7);
  });

  it('T6 a mind that is forgotten can still have its grants closed, and leaves nothing', () => {
    const request = ask(ADA, 1);
    const grant = granted(request);
    ledger.forget(ADA);
    expect(ledger.close(request.grant)).toBe(grant);
    ledger.charge(grant, 10, 10);
    expect([ledger.knows(ADA), ledger.numbersOf(ADA)]).toEqual([false, []]);
  });
});
