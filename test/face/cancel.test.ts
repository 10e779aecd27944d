import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, Troupe, Turn } from '../../src/index.js';
import { begun, circling, ENDLESS, folder, running, startTroupe, until, writeLongModel } from './stage.js';

const CONTEXT = 8192;
let place: ReturnType<typeof folder>;
let troupe: Troupe;
beforeAll(async () => {
  place = folder();
  const model = writeLongModel(join(place.path, 'long.gguf'), 2 * CONTEXT);
  troupe = await startTroupe({ model, lanes: 2, context: CONTEXT });
});
afterAll(async () => {
  await troupe.stop();
  place[Symbol.dispose]();
});
/** However a turn ended, no lane is left running and no reader left waiting. */
afterEach(() => until(() => running(troupe) === 0, 'a troupe at rest'));

let minds = 0;
const newMind = (): Promise<Mind> => troupe.mind(`mind ${++minds}`, { sampling: circling });
/** A turn that would run for minutes. */
const endless = (mind: Mind, options = {}): Turn => mind.turn(ENDLESS, { maxTokens: 7_000, ...options });
const LONG = 'And it came to pass in those days, that there went out a decree. '.repeat(240);

describe('a cancel', () => {
  test('E4 of a turn that waits for a lane ends it with nothing said', async () => {
    await using first = await newMind();
    await using second = await newMind();
    await using third = await newMind();
    const others = [endless(first), endless(second)];
    await Promise.all(others.map(begun));
    const turn = third.turn('Good evening.');
    await new Promise((resolve) => setTimeout(resolve, 20));
    turn.cancel();
    const { outcome, text, error, receipt } = await turn.result;
    expect([outcome, text, error, receipt.runs]).toEqual(['aborted', '', undefined, []]);
    expect(running(troupe)).toBe(2);
    for (const other of others) other.cancel();
    expect((await others[0]?.result)?.outcome).toBe('aborted');
  });

  test('E4 of a turn that waits for its room ends it, and the next one follows', async () => {
    await using mind = await newMind();
    const first = endless(mind);
    const second = mind.turn('And?', { maxTokens: 3 });
    const third = mind.turn('And then?', { maxTokens: 3 });
    await begun(first);
    second.cancel();
    expect(await second.result).toMatchObject({ outcome: 'aborted', receipt: { runs: [] } });
    first.cancel();
    expect(await third.result).toMatchObject({ outcome: 'length' });
  });

  test('E4 in the prompt keeps what was processed: the next turn goes on from there', async () => {
    await using mind = await newMind();
    const turn = mind.turn(LONG, { maxTokens: 10 });
    const held = (): number =>
      Math.max(
        ...troupe
          .inspect()
          .lanes.filter((lane) => lane.mind === mind.id)
          .map((lane) => lane.held),
        0,
      );
    await until(() => held() > 0, 'a first chunk');
    turn.cancel();
    const { outcome, text, receipt } = await turn.result;
    const [run] = receipt.runs;
    expect([outcome, text, run?.produced]).toEqual(['aborted', '', 0]);
    expect(run?.processed).toBeGreaterThan(0);
    expect(run?.processed).toBeLessThan(receipt.promptTokens);
    const next = await mind.turn(LONG, { maxTokens: 1 }).result;
    expect(next.receipt.runs[0]).toMatchObject({
      reused: run?.processed,
      processed: receipt.promptTokens - (run?.processed ?? 0),
    });
  });

  test('E4 in decode keeps what was said: the next turn processes only what is new', async () => {
    await using mind = await newMind();
    const turn = endless(mind);
    await begun(turn);
    turn.cancel();
    const { outcome, text, receipt } = await turn.result;
    const [run] = receipt.runs;
    expect(outcome).toBe('aborted');
    expect(text).not.toBe('');
    const next = await mind.turn('And?', { maxTokens: 1 }).result;
    const before = receipt.promptTokens + (run?.produced ?? 0) - 1;
    expect(next.receipt.runs[0]?.reused).toBe(before);
    expect(next.receipt.promptTokens).toBe(before + (next.receipt.runs[0]?.processed ?? 0));
  });

  test('E4 by breaking out of the loop', async () => {
    await using mind = await newMind();
    const turn = endless(mind);
    for await (const _piece of turn) break;
    expect(await turn.result).toMatchObject({ outcome: 'aborted', error: undefined });
  });

  test('E4 by an error thrown in the loop, which is what the caller gets', async () => {
    await using mind = await newMind();
    const turn = endless(mind);
    const read = async (): Promise<void> => {
      for await (const _piece of turn) throw new RangeError('enough');
    };
    await expect(read()).rejects.toThrow('enough');
    expect((await turn.result).outcome).toBe('aborted');
  });

  test('E4 by a signal', async () => {
    await using mind = await newMind();
    const leaving = new AbortController();
    const turn = endless(mind, { signal: leaving.signal });
    await begun(turn);
    leaving.abort();
    expect(await turn.result).toMatchObject({ outcome: 'aborted', error: undefined });
  });

  test('E4 by a signal that was given before the call', async () => {
    await using mind = await newMind();
    const turn = endless(mind, { signal: AbortSignal.abort() });
    expect(await turn.result).toMatchObject({ outcome: 'aborted', text: '', receipt: { runs: [] } });
  });

  test('E4 by a signal given in the same breath as the call', async () => {
    await using mind = await newMind();
    const leaving = new AbortController();
    const turn = endless(mind, { signal: leaving.signal });
    leaving.abort();
    expect((await turn.result).outcome).toBe('aborted');
  });

  test('E4 by one signal for many turns, without a warning', async () => {
    await using mind = await newMind();
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    const leaving = new AbortController();
    const turns = Array.from({ length: 30 }, (_, i) =>
      endless(mind, { signal: leaving.signal, room: `${i % 5}` }),
    );
    await begun(turns[0] as Turn);
    leaving.abort();
    for (const turn of turns) expect((await turn.result).outcome).toBe('aborted');
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  test('E4 after the end changes nothing', async () => {
    await using mind = await newMind();
    const leaving = new AbortController();
    const turn = mind.turn('Good evening.', { maxTokens: 3, signal: leaving.signal });
    const result = await turn.result;
    turn.cancel();
    leaving.abort();
    expect(await turn.result).toBe(result);
    const pieces = [];
    for await (const piece of turn) pieces.push(piece.text);
    expect(pieces.join('')).toBe(result.text);
    expect((await mind.turn('And?', { maxTokens: 3 }).result).outcome).toBe('length');
  });

  test('E4 many times over is one', async () => {
    await using mind = await newMind();
    const turn = endless(mind);
    await begun(turn);
    for (let i = 0; i < 50; i++) turn.cancel();
    expect((await turn.result).outcome).toBe('aborted');
    expect((await mind.turn('And?', { maxTokens: 3 }).result).outcome).toBe('length');
  });
});

describe('four minds, each ended another way', () => {
  test('case-34 the others say what they would have said, and nobody is left running', async () => {
    const say = async (text: string): Promise<string> => {
      await using mind = await newMind();
      return (await mind.turn(text, { maxTokens: 300 }).result).text;
    };
    const alone = await say('In the beginning');
    await using decoding = await newMind();
    await using prompting = await newMind();
    await using queued = await newMind();
    await using reading = await newMind();
    const decodes = endless(decoding);
    await begun(decodes);
    const beside = say('In the beginning');
    decodes.cancel();
    const prompts = prompting.turn(LONG, { maxTokens: 10 });
    const reads = endless(reading);
    const waits = queued.turn('Good evening.', { maxTokens: 10 });
    waits.cancel();
    prompts.cancel();
    for await (const _piece of reads) break;
    const ends = await Promise.all([decodes, prompts, waits, reads].map((turn) => turn.result));
    expect(ends.map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted', 'aborted', 'aborted']);
    expect(await beside).toBe(alone);
    await until(() => running(troupe) === 0, 'a troupe at rest');
  });
});

describe('a thousand aborts', () => {
  const rounds = process.env.TROUPE_SOAK === '1' ? 1_000 : 100;
  /** What the heaps of all threads take and give back at their own time. */
  const NOISE_MIB = 32;

  test(`case-34 ${rounds} of them leave no memory behind`, { timeout: 300_000 }, async () => {
    const abort = async (mind: Mind, round: number): Promise<void> => {
      const turn = endless(mind, { room: `${round % 10}` });
      if (round % 3 === 0) for await (const _piece of turn) break;
      else if (round % 3 === 1) turn.cancel();
      else await begun(turn).then(() => turn.cancel());
      expect((await turn.result).outcome).toBe('aborted');
    };
    const abortAll = async (): Promise<void> => {
      for (let done = 0; done < rounds; done += 50) {
        await using mind = await newMind();
        for (let round = 0; round < 50; round++) await abort(mind, round);
      }
    };
    const settled = async (): Promise<NodeJS.MemoryUsage> => {
      for (let i = 0; i < 3; i++) {
        globalThis.gc?.();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return process.memoryUsage();
    };
    await abortAll();
    const before = await settled();
    await abortAll();
    const after = await settled();
    expect((after.rss - before.rss) / 2 ** 20).toBeLessThan(NOISE_MIB);
    expect((after.heapUsed - before.heapUsed) / 2 ** 20).toBeLessThan(4);
    expect(running(troupe)).toBe(0);
  });
});
