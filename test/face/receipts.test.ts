import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, Receipt, Troupe, TurnResult } from '../../src/index.js';
import {
  begun,
  circling,
  ENDLESS,
  folder,
  startTroupe,
  systemOf,
  threadOf,
  until,
  writeLongModel,
} from './stage.js';

const CONTEXT = 4_096;
let place: ReturnType<typeof folder>;
let troupe: Troupe;
let mind: Mind;
beforeAll(async () => {
  place = folder();
  const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  troupe = await startTroupe({ model, lanes: 1, context: CONTEXT });
  mind = await troupe.mind('ada', { sampling: { ...circling, seed: 42 } });
});
afterAll(async () => {
  await troupe.stop();
  place[Symbol.dispose]();
});

/** A turn for each way that one can end. */
const ENDINGS: Record<string, (room: string) => Promise<TurnResult>> = {
  stop: (room) => mind.turn(ENDLESS, { room, maxTokens: 20, stop: ' ' }).result,
  length: (room) => mind.turn(ENDLESS, { room, maxTokens: 20 }).result,
  'aborted in the queue': async (room) => {
    await using other = await troupe.mind('other', { sampling: circling });
    const holding = other.turn(ENDLESS, { maxTokens: 4_000 });
    await begun(holding);
    const turn = mind.turn(ENDLESS, { room });
    await until(
      () => troupe.inspect().actors.some(({ id, waitsFor }) => id === mind.id && waitsFor !== undefined),
      'a wait',
    );
    turn.cancel();
    return await turn.result;
  },
  'aborted while it spoke': async (room) => {
    const turn = mind.turn(ENDLESS, { room, maxTokens: 4_000 });
    await begun(turn);
    turn.cancel();
    return await turn.result;
  },
  'failed by a deadline': (room) => mind.turn(ENDLESS, { room, maxTokens: 4_000, deadline: 300 }).result,
  'failed for want of room': (room) => mind.turn('a b c '.repeat(4_000), { room }).result,
  'length over a lost engine': async (room) => {
    const turn = mind.turn(ENDLESS, { room, maxTokens: 1_000 });
    await begun(turn);
    await systemOf(troupe).terminateThread(threadOf(troupe, 'engine'));
    return await turn.result;
  },
  'failed with its mind': async (room) => {
    const brief = await troupe.mind('brief');
    await brief.leave();
    return await brief.turn(ENDLESS, { room }).result;
  },
};
/** Those that never had a lane. */
const WITHOUT_RUN = ['aborted in the queue', 'failed for want of room', 'failed with its mind'];

describe.each(Object.entries(ENDINGS))('the receipt of a turn that ended: %s', (name, end) => {
  let result: TurnResult;
  let receipt: Receipt;
  beforeAll(async () => {
    result = await end(name);
    receipt = result.receipt;
  });

  test('T7 says whose it is, where, and with what', () => {
    expect(receipt).toMatchObject({
      mind: name === 'failed with its mind' ? 'brief' : 'ada',
      room: name,
      turn: expect.any(Number),
      model: 'long.gguf',
      phenotype: { genes: [], scales: [] },
    });
  });

  test('T7 has the outcome, as has the result, and an error if and only if it failed', () => {
    const outcome = name.split(' ')[0];
    expect([result.outcome, receipt.outcome]).toEqual([outcome, outcome]);
    expect(result.error === undefined).toBe(outcome !== 'failed');
  });

  test('T7 has its runs, with what they cost and when', () => {
    const { runs } = receipt;
    if (name === 'length over a lost engine') {
      expect(runs.map(({ outcome }) => outcome)).toEqual(['lost', 'length']);
      return;
    }
    expect(runs.length).toBe(WITHOUT_RUN.includes(name) ? 0 : 1);
    for (const run of runs) {
      expect(run.processed + run.reused).toBe(receipt.promptTokens);
      expect(run.produced).toBeGreaterThan(0);
      expect(run.produced).toBeLessThanOrEqual(receipt.maxTokens);
      expect(run).toMatchObject({ lane: 0, outcome: result.outcome });
      for (const ms of [run.waitedMs, run.promptMs, run.decodeMs]) expect(ms).toBeGreaterThanOrEqual(0);
      expect(run.waitedMs + run.promptMs + run.decodeMs).toBeLessThanOrEqual(receipt.totalMs + 1);
    }
  });

  test('T7 has times that fit: the first piece before the end, and the waits within', () => {
    const { firstPieceMs, totalMs, waits } = receipt;
    expect(firstPieceMs === undefined).toBe(result.text === '');
    if (firstPieceMs !== undefined) expect(firstPieceMs).toBeLessThanOrEqual(totalMs);
    expect(totalMs).toBeGreaterThan(0);
    expect(Object.values(waits).reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(totalMs + 1);
    if (name === 'aborted in the queue') expect(Object.keys(waits)).toEqual(['lane']);
  });
});

describe('receipts', () => {
  test('T7 each turn has a number of its own, and the seed that it ran with', async () => {
    const results = await Promise.all(
      [{}, { sampling: { seed: 7 } }].map((options) => mind.turn('Hi.', { ...options, maxTokens: 1 }).result),
    );
    expect(results.map(({ receipt }) => receipt.seed)).toEqual([42, 7]);
    expect(new Set(results.map(({ receipt }) => receipt.turn)).size).toBe(2);
  });

  test('T7 the counts of all runs are those that the engine shows', async () => {
    const before = troupe.inspect().tokens;
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) => mind.turn('Hi.', { room: `${i % 3}`, maxTokens: 5 }).result),
    );
    const sum = (of: 'processed' | 'produced'): number =>
      results.reduce((total, { receipt }) => total + (receipt.runs[0]?.[of] ?? 0), 0);
    const after = troupe.inspect().tokens;
    expect(after.produced - before.produced).toBe(sum('produced'));
    expect(after.processed - before.processed).toBe(sum('processed'));
  });
});
