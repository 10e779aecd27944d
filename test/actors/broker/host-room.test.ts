/** Room for the pages that lanes may come to leave, as a table, and what follows of it for those who wait. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HostRoom, lacksRoomIn, roomFor, roomsAfter } from '../../../src/actors/broker/host-room.js';
import { choose, type LaneState, PASSING_MS, type WaitingTurn } from '../../../src/actors/broker/queue.js';
import { openAccount } from '../../../src/actors/broker/work.js';

/** A byte a cell. */
const host = (given: Partial<HostRoom> = {}): HostRoom => ({
  ...{ ceiling: 200, cellBytes: 1, moving: [], waiting: [] },
  ...given,
});
const turn = (grant: number, cells = 100): WaitingTurn => ({
  ...{ grant, cells, account: openAccount(), activity: `a${grant}`, rank: 1, since: grant },
  ...{ genes: [], notBefore: 0, keeps: false },
});
const lane = (number: number, reserved = 0): LaneState => ({
  ...{ lane: number, state: reserved > 0 ? 'busy' : 'empty', reserved, held: 0, bytes: 0, lastUse: 0 },
  ...{ grant: 0, stretches: [] },
});
const lanes = (...reserved: number[]): LaneState[] => reserved.map((cells, number) => lane(number, cells));
const pageOf = (of: WaitingTurn, bytes: number) => ({ of, bytes });

describe('room that is kept for a page', () => {
  it.each([
    ['what it may come to take', 30, 2, 200, 30],
    ['the share of a lane at most', 150, 2, 200, 100],
    ['none, if it could never fit', 201, 2, 200, 0],
    ['none, if there are no pages', 1, 2, 0, 0],
  ])('T1 is %s', (_, cells, count, ceiling, bytes) => {
    expect(roomFor(cells, count, host({ ceiling }))).toBe(bytes);
  });

  it('T1 is no more than there is, whatever the lanes run', () => {
    const reserved = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        reserved,
        fc.nat(2_000),
        fc.double({ min: 0, max: 9, noNaN: true }),
        (all, ceiling, cellBytes) => {
          const kept = all.map((cells) => roomFor(cells, all.length, host({ ceiling, cellBytes })));
          expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(ceiling);
        },
      ),
    );
  });
});

describe('a turn', () => {
  const lacks = (given: Partial<HostRoom>, busy = [100, 0], who = turn(5)): boolean =>
    lacksRoomIn(
      busy.map((cells, number) => lane(number, cells)),
      host(given),
      0,
    )(who);

  it.each<[string, boolean, boolean]>([
    ['has room beside the shares of others', false, lacks({})],
    ['lacks what pages take whose turns go first', true, lacks({ waiting: [pageOf(turn(4), 1)] })],
    ['lacks nothing that those take that come later', false, lacks({ waiting: [pageOf(turn(6), 200)] })],
    ['lacks nothing that its own page takes', false, lacks({ waiting: [pageOf(turn(5), 200)] })],
    ['lacks what pages take that are being moved', true, lacks({ moving: [pageOf(turn(9), 1)] })],
    ['but for its own', false, lacks({ moving: [pageOf(turn(5), 9)] })],
    ['lacks nothing while no lane is busy', false, lacks({ waiting: [pageOf(turn(4), 200)] }, [0, 0])],
    [
      'lacks none if its page could never fit',
      false,
      lacks({ waiting: [pageOf(turn(4), 200)] }, [100, 0], turn(5, 201)),
    ],
    ['that only moves takes none', false, lacks({ waiting: [pageOf(turn(4), 200)] }, [100, 0], turn(5, 0))],
  ])('T1 %s', (_, expected, lacking) => expect(lacking).toBe(expected));

  it('T1 lacks room exactly if the pages of those before it leave too little', () => {
    const pages = fc.uniqueArray(fc.record({ grant: fc.nat(20), bytes: fc.nat(60) }), {
      selector: ({ grant }) => grant,
    });
    fc.assert(
      fc.property(pages, fc.nat(20), fc.integer({ min: 1, max: 200 }), (all, grant, cells) => {
        const waiting = all.map((page) => pageOf(turn(page.grant), page.bytes));
        const first = all.filter((page) => page.grant < grant).reduce((sum, { bytes }) => sum + bytes, 0);
        const expected = 50 + Math.min(cells, 100) + first > 200;
        expect(lacks({ waiting }, [50, 0], turn(grant, cells))).toBe(expected);
      }),
    );
  });
});

describe('those who wait', () => {
  /** Grants and ends runs until all of these have had a lane, and more come for as long as the first of them waits. */
  function run(
    turns: readonly WaitingTurn[],
    pages: ReadonlyMap<number, number>,
    room: Pick<HostRoom, 'ceiling' | 'moving'>,
  ): number[] {
    const state = lanes(0, 0, 0);
    const waiting = [...turns];
    const served: number[] = [];
    for (let now = 0, more = 100; waiting.length > 0; now += 1_000) {
      const isStarved = waiting.some(({ grant }) => grant < 100);
      if (isStarved) waiting.push({ ...turn(more++, 10), since: now });
      for (;;) {
        const paged = waiting.filter(({ grant }) => pages.has(grant));
        const there = host({ ...room, waiting: paged.map((of) => pageOf(of, pages.get(of.grant) ?? 0)) });
        const genes = { slots: 0, fixed: new Set<number>(), taken: new Set<number>() };
        const placed = choose({ waiting, lanes: state, cells: 1e6, paged: () => 0, genes, host: there, now });
        if (placed === undefined) break;
        waiting.splice(waiting.indexOf(placed.turn), 1);
        served.push(placed.turn.grant);
        state[placed.lane] = lane(placed.lane, placed.cells);
        const kept = state.reduce((sum, { reserved }) => sum + roomFor(reserved, state.length, there), 0);
        expect(kept).toBeLessThanOrEqual(room.ceiling);
      }
      expect(now).toBeLessThan(100_000);
      // Somebody has a lane, whoever waits.
      const busy = state.findIndex(({ state: how }) => how === 'busy');
      expect(busy).toBeGreaterThanOrEqual(0);
      state[busy] = lane(busy);
    }
    return served;
  }

  it('T1 are never held up by all others, and none is passed for ever', () => {
    const turns = fc.array(fc.record({ cells: fc.integer({ min: 1, max: 300 }), page: fc.nat(150) }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(turns, fc.nat(400), fc.nat(100), (all, ceiling, bytes) => {
        const waiting = all.map(({ cells }, i) => turn(i, cells));
        const pages = new Map(all.map(({ page }, i) => [i, page]));
        // Something is always being read.
        const served = run(waiting, pages, { ceiling, moving: [pageOf(turn(99), bytes)] });
        const passed = served.slice(0, served.lastIndexOf(all.length - 1)).filter((grant) => grant >= 100);
        // Those that came while it let others pass, and as many as came while lanes ran on.
        expect(passed.length).toBeLessThanOrEqual(PASSING_MS / 1_000 + all.length + 3);
      }),
      { examples: [[[10, 10, 40].map((cells) => ({ cells, page: 0 })), 120, 70]] },
    );
  });

  it('T1 give up their pages for one that goes before them, the last first', () => {
    const all = [1, 2, 3, 4].map((grant) => turn(grant));
    const of = (activity: string) => all.find((each) => each.activity === activity);
    const rooms = ['a3', 'a1', 'a4', 'nobody', 'a2'].map((activity) => ({ activity }));
    expect(roomsAfter(rooms, of, 'a2', 0).map(({ activity }) => activity)).toEqual(['a4', 'a3']);
    expect(roomsAfter(rooms, of, 'nobody', 0)).toEqual([]);
  });
});
