/** Who is asked for memory, in which order, for how much, and what becomes of those who do not answer well. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { levelOf, type Pool } from '../../../src/actors/broker/pools.js';
import { type Given, type Giver, Relief } from '../../../src/actors/broker/relief.js';
import { AskTimeout } from '../../../src/errors.js';
import { ActorEnded, MailboxFull } from '../../../src/runtime/errors.js';

let now: number;
let asked: [string, number][];
beforeEach(() => {
  now = 0;
  asked = [];
});

/** Of a thousand bytes; 850 used: 250 are wanted. */
const pool = (usedBytes = 850): Pool => ({
  ...{ name: 'host', tiers: ['device', 'host'], budgetBytes: 1_000, heldBytes: usedBytes, floorBytes: 0 },
  ...{ usedBytes, capacityBytes: 1_000, pressure: usedBytes / 1_000, level: levelOf(usedBytes / 1_000) },
});
const giver = (name: Giver['name'], answer: (bytes: number) => Given | Promise<Given>): Giver => ({
  name,
  isIn: () => true,
  ask: async (bytes) => {
    asked.push([name, bytes]);
    return answer(bytes);
  },
});
const gives =
  (most: number) =>
  (bytes: number): Given => ({ outcome: 'released', bytes: Math.min(most, bytes) });
const late = (): never => {
  throw new AskTimeout({ actor: 'residency', message: 'relieve', waitedMs: 3_000 });
};
const reliefOf = (...givers: Giver[]): Relief => new Relief(givers, () => now);

describe('a relief', () => {
  it('B4 asks the cheapest first, and the next one for what is missing', async () => {
    const relief = reliefOf(
      giver('genes', gives(100)),
      giver('pages', gives(80)),
      giver('context', gives(1_000)),
    );
    expect(await relief.relieve(pool())).toMatchObject({ wantedBytes: 250, freedBytes: 250, level: 'high' });
    expect(asked).toEqual([
      ['genes', 250],
      ['pages', 150],
      ['context', 70],
    ]);
  });

  it('B4 asks nobody more than it must', async () => {
    const relief = reliefOf(giver('genes', gives(1_000)), giver('pages', gives(1_000)));
    await relief.relieve(pool());
    expect(asked.map(([name]) => name)).toEqual(['genes']);
  });

  it('B4 does not ask who has nothing there', async () => {
    const elsewhere = { ...giver('genes', gives(1_000)), isIn: () => false };
    await reliefOf(elsewhere, giver('pages', gives(1_000))).relieve(pool());
    expect(asked.map(([name]) => name)).toEqual(['pages']);
  });

  it('B5 counts what is refused as nothing', async () => {
    const relief = reliefOf(giver('genes', () => ({ outcome: 'refused', bytes: 0 })));
    expect(await relief.relieve(pool())).toMatchObject({ wantedBytes: 250, freedBytes: 0 });
    expect(relief.pendingBytes('host')).toBe(0);
  });

  it('B5 shows what was asked for as pending until the answer', async () => {
    let answer = (_: Given): void => {};
    const relief = reliefOf(giver('genes', () => new Promise((resolve) => (answer = resolve))));
    const trying = relief.relieve(pool());
    expect(relief.pendingBytes('host')).toBe(250);
    expect(relief.pendingBytes('disk')).toBe(0);
    answer({ outcome: 'partial', bytes: 30 });
    expect(await trying).toMatchObject({ freedBytes: 30 });
    expect(relief.pendingBytes('host')).toBe(0);
  });

  it.each([
    ['deferred', () => ({ outcome: 'deferred', bytes: 50 }) as const, 200],
    ['late', late, 250],
  ])('B5 asks nobody again for what is %s, until ten seconds have passed', async (_, answer, left) => {
    const relief = reliefOf(giver('genes', answer), giver('pages', gives(0)));
    await relief.relieve(pool());
    expect(relief.pendingBytes('host')).toBe(left);
    asked = [];
    now = 9_999;
    expect(await relief.relieve(pool(600 + left))).toBeUndefined();
    expect(await relief.relieve(pool(650 + left))).toMatchObject({ wantedBytes: 50 });
    expect(asked).toEqual([['pages', 50]]);
    now = 10_000;
    await relief.relieve(pool());
    expect(asked[1]?.[0]).toBe('genes');
  });

  it('B5 asks nobody for what another has yet to free', async () => {
    const relief = reliefOf(
      giver('genes', () => ({ outcome: 'deferred', bytes: 50, pendingBytes: 120 })),
      giver('pages', () => ({ outcome: 'deferred', bytes: 0 })),
      giver('context', gives(1_000)),
    );
    expect(await relief.relieve(pool())).toMatchObject({
      ...{ wantedBytes: 250, freedBytes: 50, pendingBytes: 200 },
    });
    expect(asked).toEqual([
      ['genes', 250],
      ['pages', 80],
    ]);
    expect(relief.pendingBytes('host')).toBe(200);
  });

  it('B5 asks who has thrown three times no more', async () => {
    const thrower = giver('genes', () => Promise.reject(new Error('it crashed')));
    const relief = reliefOf(thrower, giver('pages', gives(0)));
    for (let time = 0; time < 5; time++) await relief.relieve(pool());
    expect(asked.filter(([name]) => name === 'genes')).toHaveLength(3);
    expect(asked.filter(([name]) => name === 'pages')).toHaveLength(5);
    expect(relief.quarantined()).toEqual(['genes']);
  });

  it('B5 asks again who answered meanwhile, and who was only gone', async () => {
    const gone = new ActorEnded({ actor: 'residency', reason: 'crashed' });
    const answers = ['threw', 'threw', 'answered', 'threw', 'gone', 'gone', 'gone', 'threw', 'answered'];
    let time = 0;
    const wavering = giver('genes', () => {
      const how = answers[time++];
      if (how === 'answered') return gives(0)(0);
      throw how === 'gone' ? gone : new Error('it crashed');
    });
    const relief = reliefOf(wavering);
    for (const _ of answers) await relief.relieve(pool());
    expect(time).toBe(answers.length);
    expect(relief.quarantined()).toEqual([]);
  });

  it('B5 asks again who was not reached, for too much waits for it', async () => {
    const full = new MailboxFull({ actor: 'engine', band: 'control', bound: 1_024 });
    const relief = reliefOf(giver('arena', () => Promise.reject(full)));
    for (let time = 0; time < 5; time++) await relief.relieve(pool());
    expect(asked).toHaveLength(5);
    expect(relief.quarantined()).toEqual([]);
  });

  it('B5 tries a pool once at a time', async () => {
    const relief = reliefOf(giver('genes', gives(100)));
    const first = relief.relieve(pool());
    expect(await relief.relieve(pool(999))).toBeUndefined();
    expect(await first).toMatchObject({ freedBytes: 100 });
  });

  it('B5 is over, and nothing is pending for good, whatever anyone answers', async () => {
    const outcome = fc.constantFrom<Given['outcome']>('released', 'partial', 'deferred', 'refused');
    const answers = fc.array(fc.oneof(fc.record({ outcome, bytes: fc.nat(400) }), fc.constant(undefined)), {
      minLength: 3,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(answers, fc.integer({ min: 800, max: 2_000 }), async (given, used) => {
        now = 0;
        const names = ['genes', 'pages', 'context'] as const;
        const relief = reliefOf(...names.map((name, i) => giver(name, () => given[i] ?? late())));
        const attempt = await relief.relieve(pool(used));
        const asks = given.map((answer) => answer?.bytes ?? 0);
        expect(attempt?.freedBytes).toBeLessThanOrEqual(asks.reduce((sum, bytes) => sum + bytes, 0));
        now = 10_000;
        expect(relief.pendingBytes('host')).toBe(0);
      }),
    );
  });
});
