/** The queue, its counters and its lanes over virtual time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TURN_CLASSES, type TurnClass } from '../../../src/actors/broker/protocol.js';
import { choose, type LaneState, PASSING_MS, type WaitingTurn } from '../../../src/actors/broker/queue.js';
import { type Account, liftedWork, openAccount, workOf } from '../../../src/actors/broker/work.js';
import { NONE_KEPT } from '../budgets.js';

/** Gene slots. */
const SLOTS = 2;

interface Asked {
  readonly at: number;
  readonly mind: number;
  readonly room: number;
  readonly class: TurnClass;
  /** Tokens of the prompt and of the reply; a token takes 1 ms and 10 ms. */
  readonly prompt: number;
  readonly reply: number;
  readonly genes: readonly number[];
}

interface Served extends Asked {
  readonly startedAt: number;
}

const NOTHING = { grant: 0, held: 0, bytes: 0, stretches: [], reserved: 0, lastUse: 0 };

/** Plays all that is asked; `again` may ask more when a turn ends. Answers every turn with when it started. */
function play(
  lanes: number,
  cells: number,
  asked: readonly Asked[],
  again: (ended: Asked, now: number) => Asked[] = () => [],
) {
  const coming = [...asked].sort((a, b) => a.at - b.at);
  const state: LaneState[] = Array.from({ length: lanes }, (_, lane) => ({
    lane,
    state: 'empty',
    ...NOTHING,
  }));
  const running: { lane: number; ends: number; asked: Asked }[] = [];
  const accounts = new Map<number, Account>();
  let waiting: (WaitingTurn & { asked: Asked })[] = [];
  const served: Served[] = [];
  /** What there is for those who wait at a time. */
  const seen = (now: number) => {
    const taken = new Set(running.flatMap((run) => run.asked.genes));
    const genes = { slots: SLOTS, fixed: new Set<number>(), taken };
    return { waiting, lanes: state, cells, paged: () => 0, genes, host: NONE_KEPT, now };
  };
  for (let grant = 0, now = 0; ; ) {
    for (let i = running.length - 1; i >= 0; i--) {
      const run = running[i] as (typeof running)[number];
      if (run.ends > now) continue;
      running.splice(i, 1);
      const { mind, prompt, reply } = run.asked;
      (accounts.get(mind) as Account).work += workOf(prompt, reply);
      state[run.lane] = {
        ...(state[run.lane] as LaneState),
        state: 'idle',
        held: prompt + reply,
        reserved: 0,
        lastUse: now,
      };
      coming.push(...again(run.asked, now));
    }
    coming.sort((a, b) => a.at - b.at);
    while (coming[0] !== undefined && coming[0].at <= now) {
      const next = coming.shift() as Asked;
      const { mind } = next;
      const account = accounts.get(mind) ?? openAccount();
      accounts.set(mind, account);
      const away = ![...waiting, ...running].some(({ asked: other }) => other.mind === mind);
      if (away) account.work = liftedWork(account.work, waiting);
      waiting.push({
        grant: grant++,
        account,
        activity: `${mind}/${next.room}`,
        rank: TURN_CLASSES.indexOf(next.class),
        since: next.at,
        cells: next.prompt + next.reply,
        genes: next.genes,
        notBefore: 0,
        keeps: false,
        asked: next,
      });
    }
    for (let choice = choose(seen(now)); choice !== undefined; ) {
      const { turn, lane, vacate } = choice;
      const given = turn.asked;
      waiting = waiting.filter((w) => w !== turn);
      for (const i of vacate) state[i] = { lane: i, state: 'empty', ...NOTHING };
      state[lane] = {
        lane,
        state: 'busy',
        activity: turn.activity,
        ...NOTHING,
        reserved: choice.cells,
        lastUse: now,
      };
      turn.account.servedAt = now;
      running.push({ lane, ends: now + given.prompt + 10 * given.reply, asked: given });
      served.push({ ...given, startedAt: now });
      choice = choose(seen(now));
    }
    const next = Math.min(coming[0]?.at ?? Number.POSITIVE_INFINITY, ...running.map((run) => run.ends));
    if (next === Number.POSITIVE_INFINITY) return { served, waiting };
    now = next;
  }
}

const ask = (at: number, mind: number, given: Partial<Asked> = {}): Asked => ({
  at,
  mind,
  room: 0,
  class: 'interactive',
  prompt: 50,
  reply: 100,
  genes: [],
  ...given,
});
const meanWait = (served: readonly Served[], mind: number): number => {
  const waits = served.filter((turn) => turn.mind === mind).map((turn) => turn.startedAt - turn.at);
  return waits.reduce((a, b) => a + b, 0) / waits.length;
};

describe('T5 fairness over time', () => {
  const LIGHT = 1;
  const HEAVY = 2;
  const light = (times: number[]) => times.map((at) => ask(at, LIGHT, { reply: 20 }));

  it('T5 a light mind beside one that floods waits less than twice what it waits beside a polite one', () => {
    const times = fc.array(fc.integer({ min: 1_300, max: 6_000 }), { minLength: 8, maxLength: 20 });
    fc.assert(
      fc.property(times, (gaps) => {
        let at = 0;
        const asked = light(gaps.map((gap) => (at += gap)));
        const polite = play(1, 1000, [...asked, ask(0, HEAVY)], (ended, now) =>
          ended.mind === HEAVY && now < at ? [ask(now, HEAVY)] : [],
        );
        const flood = Array.from({ length: 200 }, (_, room) => ask(0, HEAVY, { room }));
        const flooded = play(1, 1000, [...asked, ...flood]);
        expect(meanWait(flooded.served, LIGHT)).toBeLessThan(2 * meanWait(polite.served, LIGHT));
      }),
      { numRuns: 50 },
    );
  });

  it('case-14 a mind with other genes than one that floods waits 5 s, and for the turns that run then', () => {
    const turnMs = 50 + 10 * 136;
    const flood = Array.from({ length: 200 }, (_, room) =>
      ask(0, HEAVY, { room, genes: [0, 1], reply: 100 + 12 * (room % 4) }),
    );
    const asked = [3_300, 17_700, 31_100].map((at) => ask(at, LIGHT, { reply: 20, genes: [2] }));
    const { served } = play(4, 4000, [...flood, ...asked]);
    const waits = served.filter(({ mind }) => mind === LIGHT).map(({ at, startedAt }) => startedAt - at);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(PASSING_MS + turnMs);
    expect(waits).toHaveLength(3);
  });

  it('T5 a mind that was away does not make up for it', () => {
    const early = [ask(0, LIGHT, { reply: 1 })];
    const steady = Array.from({ length: 40 }, (_, room) => ask(0, HEAVY, { room }));
    const back = Array.from({ length: 10 }, (_, room) => ask(20_000, LIGHT, { room }));
    const { served } = play(1, 1000, [...early, ...steady, ...back]);
    const after = served.filter((turn) => turn.startedAt >= 20_000).slice(0, 10);
    expect(after.filter((turn) => turn.mind === HEAVY).length).toBeGreaterThanOrEqual(4);
  });

  it('T1 a turn of many cells among endless small ones gets its cells', () => {
    const big = ask(100, 9, { prompt: 500, reply: 400 });
    let more = 300;
    const small = (room: number, now: number) => ask(now, 20 + room, { room, reply: 30 + room });
    const { served } = play(
      4,
      1000,
      [big, ...Array.from({ length: 6 }, (_, i) => small(i, 0))],
      (ended, now) => (more-- > 0 ? [small(ended.room, now)] : []),
    );
    const start = served.find((turn) => turn.mind === 9)?.startedAt ?? Number.POSITIVE_INFINITY;
    expect(start).toBeLessThan(10_000);
    expect(served.filter((turn) => turn.startedAt > start).length).toBeGreaterThan(100);
  });

  it('T5 a turn of background among endless interactive ones runs when it has aged', () => {
    let more = 200;
    const { served } = play(
      1,
      1000,
      [ask(0, 1), ask(0, 2), ask(1, 9, { class: 'background' })],
      (ended, now) => (more-- > 0 ? [ask(now, ended.mind)] : []),
    );
    const start = served.find((turn) => turn.mind === 9)?.startedAt ?? Number.POSITIVE_INFINITY;
    expect(start).toBeGreaterThan(29_000);
    expect(start).toBeLessThan(35_000);
  });

  it('T1 everything that is asked and fits is served in the end', () => {
    const some = fc.record({
      at: fc.nat(50_000),
      mind: fc.nat(6),
      room: fc.nat(3),
      class: fc.constantFrom('realtime' as const, 'interactive' as const, 'background' as const),
      prompt: fc.integer({ min: 1, max: 500 }),
      reply: fc.integer({ min: 1, max: 500 }),
      genes: fc.uniqueArray(fc.nat(3), { maxLength: SLOTS }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(some, { maxLength: 40 }), (lanes, asked) => {
        const { served, waiting } = play(lanes, 1000, asked);
        expect(waiting).toEqual([]);
        expect(served.length).toBe(asked.length);
      }),
      { numRuns: 200 },
    );
  });
});
