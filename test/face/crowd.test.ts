import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, Troupe } from '../../src/index.js';
import { circling, ENDLESS, greedy, running, startTroupe, until } from './stage.js';

let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe({ lanes: 4, hosts: 2 });
});
afterAll(() => troupe.stop());

describe('300 minds on 4 lanes', () => {
  let minds: Mind[];
  beforeAll(async () => {
    minds = await Promise.all(
      Array.from({ length: 300 }, (_, i) => troupe.mind(`mind ${i}`, { sampling: greedy })),
    );
  });
  afterAll(() => Promise.all(minds.map((mind) => mind.leave())));

  test('case-29 each is answered, and each as if it were alone', async () => {
    const prompts = ['Good evening.', 'In the beginning', 'The people of'];
    const results = await Promise.all(
      minds.map((mind, i) => mind.turn(prompts[i % 3] as string, { maxTokens: 10 }).result),
    );
    for (const [i, { text, outcome, receipt }] of results.entries()) {
      expect([outcome, text]).toEqual(['length', results[i % 3]?.text]);
      expect(receipt.runs[0]?.lane).toBeLessThan(4);
    }
    expect(new Set(results.map(({ text }) => text)).size).toBe(3);
  });

  test('case-29 each is answered again, and knows what it said', async () => {
    const results = await Promise.all(minds.map((mind) => mind.turn('And then?', { maxTokens: 4 }).result));
    expect(results.every(({ error, receipt }) => error === undefined && receipt.promptTokens > 40)).toBe(
      true,
    );
  });

  test('case-29 nobody waits for ever, and nothing is left', async () => {
    await until(() => running(troupe) === 0, 'a troupe at rest');
    const { actors, lanes } = troupe.inspect();
    expect(actors.filter((actor) => actor.waitsFor !== undefined)).toEqual([]);
    expect(lanes).toHaveLength(4);
  });
});

describe('one mind', () => {
  test('R2 that is asked 3,000 turns at once takes its 1,024, refuses the others with a type, and goes on', async () => {
    await using mind = await troupe.mind('flooded', { sampling: greedy });
    const turns = Array.from({ length: 3_000 }, (_, i) => mind.turn('Hi.', { room: `${i}`, maxTokens: 1 }));
    const codes = (await Promise.all(turns.map((turn) => turn.result))).map(
      ({ error, outcome }) => error?.code ?? outcome,
    );
    expect(new Set(codes)).toEqual(new Set(['length', 'MailboxFull']));
    expect(codes.filter((code) => code === 'length').length).toBeGreaterThanOrEqual(1_024);
    expect((await mind.turn('Hi.', { maxTokens: 1 }).result).outcome).toBe('length');
  });
});

describe('as many lanes as there can be', () => {
  test('case-29 256 run side by side', { timeout: 60_000 }, async () => {
    await using wide = await startTroupe({ lanes: 256, context: 64, hosts: 2 });
    const minds = await Promise.all(
      Array.from({ length: 260 }, (_, i) => wide.mind(`mind ${i}`, { sampling: circling })),
    );
    const turns = minds.map((mind) => mind.turn(ENDLESS, { maxTokens: 30 }));
    const results = await Promise.all(turns.map((turn) => turn.result));
    expect(new Set(results.map(({ text }) => text)).size).toBe(1);
    expect(new Set(results.map(({ receipt }) => receipt.runs[0]?.lane)).size).toBe(256);
  });
});

describe('a long prompt beside minds that speak', () => {
  test('E1 they go on speaking between its chunks, and all say what they would have said alone', async () => {
    const long = 'And it came to pass in those days. '.repeat(30);
    const say = async (text: string, maxTokens: number): Promise<string> => {
      await using mind = await troupe.mind(text.slice(0, 20), { sampling: circling });
      return (await mind.turn(text, { maxTokens }).result).text;
    };
    const alone = [await say(ENDLESS, 450), await say(long, 20)];
    await using speaker = await troupe.mind('speaker', { sampling: circling });
    await using prompted = await troupe.mind('prompted', { sampling: circling });
    const speech = speaker.turn(ENDLESS, { maxTokens: 450 });
    let pieces = 0;
    let before = 0;
    let atFirst = 0;
    const listening = (async () => {
      for await (const _piece of speech) pieces++;
    })();
    await until(() => pieces > 5, 'a speech');
    const prompt = prompted.turn(long, { maxTokens: 20 });
    before = pieces;
    for await (const _piece of prompt) atFirst ||= pieces;
    await listening;
    expect([(await speech.result).text, (await prompt.result).text]).toEqual(alone);
    expect(atFirst).toBeGreaterThan(before);
  });
});
