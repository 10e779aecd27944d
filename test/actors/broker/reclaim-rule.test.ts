/** Who gives up a lane for whom, as a table. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAhead, type WaitingTurn } from '../../../src/actors/broker/queue.js';
import {
  chooseReclaims,
  FAIR_MS,
  FAIR_TOKENS,
  givesWay,
  RECLAIM_AFTER_MS,
  type RunningTurn,
  reclaimDeadlineMs,
} from '../../../src/actors/broker/reclaim-rule.js';

const NOW = 100_000;
const [REALTIME, INTERACTIVE, BACKGROUND] = [0, 1, 2] as const;

const waiting = (given: Partial<WaitingTurn> = {}, work = 0): WaitingTurn => ({
  grant: 1,
  account: { work, servedAt: Number.NEGATIVE_INFINITY },
  activity: 'a',
  rank: INTERACTIVE,
  since: NOW - RECLAIM_AFTER_MS,
  cells: 100,
  genes: [],
  notBefore: 0,
  keeps: false,
  ...given,
});
const running = (given: Partial<RunningTurn> = {}, work = 0): RunningTurn => ({
  ...waiting({ grant: 9, activity: 'z', since: 0 }, work),
  grantedAt: NOW - FAIR_MS,
  produced: FAIR_TOKENS,
  lane: 0,
  reclaiming: false,
  ...given,
});

describe('a running turn gives way', () => {
  it.each<[string, RunningTurn, WaitingTurn, boolean]>([
    [
      'to a higher class after a second',
      running({ rank: BACKGROUND, produced: 0, grantedAt: NOW }),
      waiting(),
      true,
    ],
    ['not before', running({ rank: BACKGROUND }), waiting({ since: NOW - RECLAIM_AFTER_MS + 1 }), false],
    ['realtime to none but realtime', running({ rank: REALTIME }), waiting(), false],
    ['interactive to realtime', running(), waiting({ rank: REALTIME }), true],
    ['to its class after its share', running(), waiting(), true],
    ['not before its tokens', running({ produced: FAIR_TOKENS - 1 }), waiting(), false],
    ['not before its time', running({ grantedAt: NOW - FAIR_MS + 1 }), waiting(), false],
    ['not to one that has had more', running(), waiting({}, 2 * FAIR_TOKENS + 1), false],
    [
      'to a lower class never',
      running({ rank: INTERACTIVE }),
      waiting({ rank: BACKGROUND, since: 0 }),
      false,
    ],
  ])('T5 %s', (_, turn, next, gives) => {
    expect(givesWay(turn, next, NOW)).toBe(gives);
  });
});

/** What comes free with turns that share nothing: a hundred cells each, or as many as are said. */
const each =
  (cells: Readonly<Record<number, number>> = {}) =>
  (gone: readonly RunningTurn[]) =>
    gone.reduce((sum, { grant }) => sum + (cells[grant] ?? 100), 0);
const choose = (turns: readonly RunningTurn[], given: Partial<Parameters<typeof chooseReclaims>[0]> = {}) =>
  chooseReclaims({
    ...{ next: waiting({ rank: REALTIME }), running: turns, hasLane: false, freeCells: each(), need: 100 },
    ...{ genes: { slots: 0, fixed: [], pins: new Map() }, now: NOW },
    ...given,
  });
const background = { rank: BACKGROUND };

describe('those that are told', () => {
  it('T5 are of the lowest class, there those who had most, there the oldest', () => {
    expect(choose([running({ grant: 2 }), running({ grant: 3, ...background })])).toEqual([3]);
    expect(choose([running({ grant: 2 }, 5), running({ grant: 3 }, 6)])).toEqual([3]);
    expect(choose([running({ grant: 2 }), running({ grant: 3, grantedAt: 0 })])).toEqual([3]);
  });

  it('T5 are as many as make room, or none', () => {
    const two = [running({ grant: 2 }), running({ grant: 3 })];
    expect(choose(two, { need: 150 })).toEqual([2, 3]);
    expect(choose(two, { need: 201 })).toEqual([]);
    expect(choose(two, { hasLane: true, freeCells: (gone) => 50 + each()(gone) })).toEqual([2]);
  });

  it('T1 are all that share the cells that are wanted, and no other', () => {
    const three = [running({ grant: 2 }, 9), running({ grant: 3 }, 8), running({ grant: 4 }, 7)];
    // The first has ten of its own; the other two share a hundred.
    const freeCells = (gone: readonly RunningTurn[]) => {
      const has = (grant: number) => gone.some((turn) => turn.grant === grant);
      return (has(2) ? 10 : 0) + (has(3) && has(4) ? 100 : 0);
    };
    expect(choose(three, { freeCells })).toEqual([3, 4]);
    expect(choose(three, { freeCells, need: 110 })).toEqual([2, 3, 4]);
    expect(choose(three.slice(0, 2), { freeCells })).toEqual([]);
  });

  it('T5 are one that suffices alone rather than several of its class', () => {
    const three = [running({ grant: 2 }, 9), running({ grant: 3 }, 8), running({ grant: 4 })];
    const freeCells = each({ 4: 150 });
    expect(choose(three, { need: 150, freeCells })).toEqual([4]);
    const lower = [running({ grant: 2, ...background }), running({ grant: 3, ...background }), three[2]];
    expect(choose(lower as RunningTurn[], { need: 150, freeCells })).toEqual([2, 3]);
  });

  it('T5 are none while those make room that were told before', () => {
    expect(choose([running({ grant: 2, reclaiming: true }), running({ grant: 3 })])).toEqual([]);
    expect(choose([running({ grant: 2, reclaiming: true }), running({ grant: 3 })], { need: 150 })).toEqual([
      3,
    ]);
  });

  it('T5 one that gave way does not get the lane back before the one that it gave way to', () => {
    const turns = fc.record({
      rank: fc.constantFrom(REALTIME, INTERACTIVE, BACKGROUND),
      work: fc.nat(5_000),
      age: fc.nat(100_000),
      produced: fc.nat(2_000),
    });
    fc.assert(
      fc.property(turns, turns, (one, other) => {
        const next = waiting({ rank: one.rank, since: NOW - one.age }, one.work);
        const turn = running(
          { rank: other.rank, since: NOW - other.age, grantedAt: NOW - other.age, produced: other.produced },
          other.work,
        );
        if (!givesWay(turn, next, NOW)) return;
        const back = waiting(
          { grant: 10, rank: other.rank, since: turn.since },
          other.work + 2 * other.produced,
        );
        back.account.servedAt = NOW;
        expect([
          isAhead(next, back, NOW),
          givesWay({ ...running({ rank: one.rank, grantedAt: NOW, produced: 0 }) }, back, NOW),
        ]).toEqual([true, false]);
      }),
    );
  });
});

describe('those that are told where gene slots are short', () => {
  const next = waiting({ rank: REALTIME, genes: [1, 2] });
  /** Of turns that hold these genes, in three slots with one for good; a lane and cells are free. */
  const told = (held: Record<number, number[]>, turns = Object.keys(held).map(Number), slots = 3) =>
    choose(
      turns.map((grant) => running({ grant })),
      {
        ...{ next, hasLane: true, freeCells: () => 100 },
        genes: {
          ...{ slots, fixed: [9] },
          pins: new Map(Object.entries(held).map(([grant, genes]) => [Number(grant), genes])),
        },
      },
    );

  it.each<[string, number[], ReturnType<typeof told>]>([
    ['one whose going leaves enough', [3], told({ 2: [9], 3: [4, 5] })],
    ['not one whose genes others hold too', [4], told({ 2: [5], 3: [5], 4: [6, 9] }, [2, 3, 4], 4)],
    ['all who hold a gene that must go', [2, 3], told({ 2: [5], 3: [5], 4: [1] })],
    ['none that holds what it wants itself', [3], told({ 2: [1], 3: [6] })],
    ['none, if those who cannot be told hold too much', [], told({ 2: [5], 3: [5, 6] }, [2])],
    ['none, if there are fewer slots than it wants', [], told({ 2: [5] }, [2], 2)],
    ['none, if it lacks none', [], told({ 2: [1], 3: [2] })],
  ])('T5 are %s', (_, expected, chosen) => expect(chosen).toEqual(expected));

  it('T5 make room together, no one of them in vain; and if none is told, all who may go would not', () => {
    const genes = fc.uniqueArray(fc.nat(5), { maxLength: 3 });
    const turn = fc.record({ genes, rank: fc.nat(2), reclaiming: fc.boolean() });
    const cells = fc.array(fc.nat(100), { minLength: 5, maxLength: 5 });
    const state = fc.record({
      turns: fc.array(turn, { maxLength: 5 }),
      ...{ wanted: genes, slots: fc.nat(6), hasLane: fc.boolean(), cells, need: fc.nat(200) },
    });
    fc.assert(
      fc.property(state, ({ turns, wanted, slots, cells, ...rest }) => {
        const freeCells = each(Object.fromEntries(cells.map((own, i) => [10 + i, own])));
        const all = turns.map((given, i) => running({ grant: 10 + i, ...given }));
        const asks = waiting({ rank: INTERACTIVE, genes: wanted });
        const pins = new Map(all.map((each) => [each.grant, each.genes]));
        const chosen = choose(all, { ...rest, freeCells, next: asks, genes: { slots, fixed: [], pins } });
        const suffice = (told: readonly number[]): boolean => {
          const gone = all.filter(({ grant, reclaiming }) => reclaiming || told.includes(grant));
          const stays = all.filter((each) => !gone.includes(each)).flatMap((each) => each.genes);
          const slotsFit = wanted.every((gene) => stays.includes(gene));
          return (
            (rest.hasLane || gone.length > 0) &&
            freeCells(gone) >= rest.need &&
            (slotsFit || new Set([...stays, ...wanted]).size <= slots)
          );
        };
        const mayGo = all.filter((each) => !each.reclaiming && givesWay(each, asks, NOW));
        if (chosen.length === 0) {
          expect(suffice([]) || !suffice(mayGo.map(({ grant }) => grant))).toBe(true);
          return;
        }
        expect(chosen.every((told) => mayGo.some(({ grant }) => grant === told))).toBe(true);
        expect(suffice(chosen)).toBe(true);
        for (const one of chosen) expect(suffice(chosen.filter((other) => other !== one))).toBe(false);
      }),
    );
  });
});

describe('the deadline of a reclaim', () => {
  it.each([
    [Number.POSITIVE_INFINITY, 2_000],
    [500, 500],
    [1, 100],
  ])('T2 within %d ms is %d ms', (left, deadline) => expect(reclaimDeadlineMs(left)).toBe(deadline));
});
