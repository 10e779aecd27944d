import { describe, expect, it } from 'vitest';
import { type Observation, observe } from '../../src/observer/observation.js';
import { viewOf } from '../../src/observer/view.js';
import { KnownAs } from '../../src/runtime/known-as.js';
import { asking, type Planted, sightOf } from '../runtime/planted.js';

const queued = (user: number) => ({ system: 0, control: 1, user });
const seen = (
  planted: readonly Planted[],
  atMs = 0,
  limit = 100,
  threads?: Parameters<typeof sightOf>[1],
) => {
  const sight = sightOf(planted, threads);
  return observe(sight, new KnownAs(sight.actors), limit, atMs);
};

describe('R6 what an inspect answers', () => {
  it('R6 has the sums of each thread, over all its actors', () => {
    const planted = [
      { name: 'a', depth: queued(2), processed: 10 },
      { name: 'b', processed: 5 },
      { name: 'c', thread: 'host-1' },
    ];
    const { threads, more } = seen(planted, 0, 1, [{ name: 'host-0' }, { name: 'host-1' }]);
    expect(threads).toMatchObject([
      { name: 'host-0', actors: 2, queued: 3, processed: 15 },
      { name: 'host-1', actors: 1, queued: 0, processed: 100 },
    ]);
    expect(more).toBe(2);
  });

  it('R6 has the actors with most going on, when there are more than asked for', () => {
    const planted = [
      { name: 'idle', processed: 1 },
      { name: 'done-much', processed: 9_000 },
      { name: 'has-one', processed: 2, depth: queued(0) },
      asking('waits', 'idle', 'x', 5, 5),
    ];
    expect(seen(planted, 0, 3).actors.map(({ name }) => name)).toEqual(['waits', 'has-one', 'done-much']);
    expect(seen(planted).more).toBe(0);
  });

  it('R6 says whom an actor waits for by name, and what it holds', () => {
    const sight = sightOf(
      [
        { name: 'mind/ada', kind: 'mind', waits: { on: 'mind/bo', reason: 'x', forMs: 1, leftMs: 2 } },
        { name: 'mind/bo', kind: 'mind' },
      ],
      undefined,
      [{ what: 'lane 1', keeper: 'broker', holder: 'mind/bo', worker: 'engine' }],
    );
    const { actors } = observe(sight, new KnownAs(sight.actors), 9, 0);
    expect(actors).toMatchObject([
      { name: 'ada', waitsFor: { on: 'bo', reason: 'x' }, holds: [] },
      { name: 'bo', waitsFor: undefined, holds: ['lane 1'] },
    ]);
  });
});

describe('R6 the view', () => {
  const rows = (now: Observation, before?: Observation) => viewOf(now, before).actors;

  it('R6 a rate is the difference of two counters over the time between', () => {
    const before = seen(
      [
        { name: 'a', processed: 100 },
        { name: 'b', processed: 7 },
      ],
      1_000,
    );
    const now = seen(
      [
        { name: 'a', processed: 300 },
        { name: 'b', processed: 8 },
      ],
      3_000,
    );
    expect(rows(now, before).map(({ name, rate }) => [name, rate])).toEqual([
      ['a', '100'],
      ['b', '0.5'],
    ]);
    expect(viewOf(now, before)).toMatchObject({ rate: 100.5, threads: [{ rate: '101' }] });
  });

  it('R6 one look has no rates, nor has an actor that is new or began anew', () => {
    expect(viewOf(seen([{ name: 'a' }]))).toMatchObject({ rate: undefined, actors: [{ rate: '' }] });
    const before = seen([{ name: 'a', processed: 50 }], 0);
    const now = seen([{ name: 'a', processed: 3 }, { name: 'b' }], 1_000);
    expect(rows(now, before).map(({ rate }) => rate)).toEqual(['', '']);
    expect(rows(before, before)[0]?.rate).toBe('');
  });

  it('R6 the busiest come first: by rate, by queue, by how long a message is in hand, by waits', () => {
    const planted = (quick: number): Planted[] => [
      { name: 'idle' },
      { name: 'waits', waits: { on: 'idle', reason: 'x', forMs: 1, leftMs: 1 } },
      { name: 'long', inHand: { type: 'x', forMs: 500 } },
      { name: 'short', inHand: { type: 'x', forMs: 5 } },
      { name: 'queue', depth: queued(4) },
      { name: 'quick', processed: quick },
    ];
    expect(rows(seen(planted(200), 1_000), seen(planted(100), 0)).map(({ name }) => name)).toEqual([
      'quick',
      'queue',
      'long',
      'short',
      'waits',
      'idle',
    ]);
  });

  it('R6 every cell is a text', () => {
    const [row] = rows(
      seen([
        {
          ...asking('a', 'gone', 'fetch', 3_210, 1),
          depth: queued(2),
          oldestMs: 61_000,
          restarts: 2,
          lastError: 'oh',
        },
      ]),
    );
    expect(row).toEqual({
      name: 'a',
      thread: 'host-0',
      queued: '3',
      rate: '',
      oldest: '1 min 1 s',
      inHand: 'go 3.2 s',
      waitsFor: 'an actor that is gone fetch 3.2 s',
      trouble: '2 restarts, oh',
    });
  });

  it('R6 a lane says more than a wait for itself', () => {
    const own = { on: 'bo', reason: 'room', forMs: 9, leftMs: 9 };
    const sight = sightOf([{ name: 'bo', waits: own }], undefined, [
      { what: 'lane 1', keeper: 'broker', holder: 'bo', worker: 'engine' },
    ]);
    expect(rows(observe(sight, new KnownAs(sight.actors), 9, 0))[0]?.waitsFor).toBe('lane 1');
  });

  it.each([
    [{ alive: false }, 0, 'lost'],
    [{ sinceSliceMs: 90_000 }, 0, 'up'],
    [{ sinceSliceMs: 2_000 }, 3, 'stuck for 2.0 s'],
    [{ sinceSliceMs: 2, restarts: 2 }, 3, 'up, restarted 2 times'],
  ])('R6 a thread %j with %i messages queued is %s', (thread, user, state) => {
    const planted = user === 0 ? [{ name: 'a' }] : [{ name: 'a', depth: queued(user) }];
    expect(viewOf(seen(planted, 0, 9, [{ name: 'host-0', ...thread }])).threads[0]?.state).toBe(state);
  });
});
