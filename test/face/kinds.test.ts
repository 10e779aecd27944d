/** Models of several kinds with random weights: what they say is nonsense, but it must be the same nonsense. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, Troupe, TurnResult } from '../../src/index.js';
import { type Kind, writeRandomModel } from '../native/random-model.js';
import { begun, circling, folder, running, startTroupe, until } from './stage.js';

const CONTEXT = 1024;
const TALK = ['hello world', 'world', 'hello hello'];

describe.each<Kind>(['dense', 'recurrent', 'hybrid', 'window'])('a %s model', (kind) => {
  let place: ReturnType<typeof folder>;
  let troupe: Troupe;
  let model: string;
  let alone: string[];
  let minds = 0;
  const newMind = (): Promise<Mind> => troupe.mind(`mind ${++minds}`, { sampling: circling });
  const runOf = ({ receipt }: TurnResult) => receipt.runs[0] as TurnResult['receipt']['runs'][number];
  async function talk(mind: Mind, options = {}): Promise<TurnResult[]> {
    const results: TurnResult[] = [];
    for (const text of TALK) results.push(await mind.turn(text, { maxTokens: 24, ...options }).result);
    return results;
  }
  const textsOf = (results: readonly TurnResult[]): string[] => results.map(({ text }) => text);

  beforeAll(async () => {
    place = folder();
    model = join(place.path, `${kind}.gguf`);
    writeRandomModel(model, kind);
    troupe = await startTroupe({ model, lanes: 1, context: CONTEXT });
    await using single = await newMind();
    alone = textsOf(await talk(single));
    await troupe.relaunch({ lanes: 3 });
  });
  afterAll(async () => {
    await troupe.stop();
    place[Symbol.dispose]();
  });

  test('E5 a conversation goes on from what the lane holds', async () => {
    await using mind = await newMind();
    const results = await talk(mind);
    expect(textsOf(results)).toEqual(alone);
    for (const [i, result] of results.entries()) {
      const before = results[i - 1];
      const held = before === undefined ? 0 : before.receipt.promptTokens + runOf(before).produced - 1;
      expect(runOf(result)).toMatchObject({ reused: held, processed: result.receipt.promptTokens - held });
    }
  });

  /** The conversation, with others in all lanes between its turns. */
  const interrupted = async (mind: Mind, after: () => Promise<void>): Promise<TurnResult[]> => {
    const results: TurnResult[] = [];
    for (const text of TALK) {
      results.push(await mind.turn(text, { maxTokens: 24 }).result);
      const others = await Promise.all([newMind(), newMind(), newMind()]);
      await Promise.all(others.map((other) => other.turn('hello', { maxTokens: 2 }).result));
      await Promise.all(others.map((other) => other.leave()));
      await after();
    }
    return results;
  };

  test('P2 a conversation that lost its lane goes on from its page', async () => {
    await using mind = await newMind();
    const results = await interrupted(mind, async () => {});
    expect(textsOf(results)).toEqual(alone);
    for (const result of results.slice(1)) {
      const { reused, pagedIn, processed } = runOf(result);
      expect(pagedIn.bytes).toBeGreaterThan(0);
      expect(reused + processed).toBe(result.receipt.promptTokens);
      expect(reused).toBeGreaterThan(0);
    }
  });

  test('E5 a conversation that lost its page too says the same', async () => {
    await using mind = await newMind();
    const results = await interrupted(mind, () => troupe.pages.drop(mind.name));
    expect(textsOf(results)).toEqual(alone);
    expect(results.map((result) => runOf(result).reused)).toEqual(TALK.map(() => 0));
  });

  test('E1 several at once each say what they would have said alone', async () => {
    const crowd = await Promise.all([0, 1, 2, 3, 4].map(() => newMind()));
    for (const results of await Promise.all(crowd.map((mind) => talk(mind)))) {
      expect(textsOf(results)).toEqual(alone);
    }
    await Promise.all(crowd.map((mind) => mind.leave()));
  });

  test('E4 a cancel, and a stop string in mid-reply, leave the lane fit to go on', async () => {
    await using mind = await newMind();
    const cancelled = mind.turn('hello world', { room: 'a', maxTokens: 900 });
    await begun(cancelled);
    cancelled.cancel();
    expect((await cancelled.result).outcome).toBe('aborted');
    const first = alone[0] as string;
    // Bytes that are no text have no stop string.
    const [stop] = /[^\uFFFD]{1,3}/.exec(first.slice(1)) as RegExpExecArray;
    const stopped = await mind.turn('hello world', { room: 'b', stop, maxTokens: 24 }).result;
    expect(stopped).toMatchObject({ outcome: 'stop', text: first.slice(0, first.indexOf(stop)) });
    for (const room of ['a', 'b']) {
      const next = await mind.turn('world', { room, maxTokens: 8 }).result;
      expect([next.error, runOf(next).processed + runOf(next).reused]).toEqual([
        undefined,
        next.receipt.promptTokens,
      ]);
    }
    await until(() => running(troupe) === 0, 'a troupe at rest');
  });

  test('E1 a long prompt beside a speaker changes neither', async () => {
    const long = 'world hello '.repeat(60);
    const say = async (text: string, maxTokens: number): Promise<TurnResult> => {
      await using mind = await newMind();
      return await mind.turn(text, { maxTokens }).result;
    };
    const quiet = await say('hello world', 300);
    const [spoken, brought] = await Promise.all([say('hello world', 300), say(long, 10)]);
    expect(spoken.text).toBe(quiet.text);
    // Its chunks depend on the time, and so do the last bits of what follows them; that all of it was read does not.
    const { processed, reused, produced } = runOf(brought);
    expect([processed + reused, produced]).toEqual([brought.receipt.promptTokens, 10]);
  });
});
