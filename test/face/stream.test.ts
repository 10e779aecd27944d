import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, Sampling, Troupe, TurnOptions, TurnResult } from '../../src/index.js';
import { load, TINY } from '../native/fixtures.js';
import { circling, folder, greedy, piecesOf, savedOf, startTroupe, writeSplitModel } from './stage.js';

let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe({ lanes: 4 });
});
afterAll(() => troupe.stop());

let minds = 0;
/** One lane at a time is used where a seed is compared: what lies beside it in the KV moves the last bits of its logits. */
const newMind = (sampling: Sampling = greedy): Promise<Mind> => troupe.mind(`mind ${++minds}`, { sampling });
/** The turn of a fresh mind. */
async function say(text: string, options: TurnOptions = {}): Promise<TurnResult> {
  await using mind = await newMind();
  return await mind.turn(text, options).result;
}

/** Every token as likely as any other: bytes that are no text, too. */
const anything: Sampling = { temperature: 50, topK: 0, topP: 1, minP: 0, repeatPenalty: 1 };

describe('sampling', () => {
  const seeded = (seed: number): Sampling => ({ temperature: 1, seed });

  test('E2 the same seed says the same, another seed another thing', async () => {
    const texts = [];
    for (const seed of [7, 7, 8]) {
      texts.push((await say('Good evening.', { sampling: seeded(seed), maxTokens: 40 })).text);
    }
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  test('E2 a drawn seed is on the receipt, and replays the turn', async () => {
    const drawn = await say('Good evening.', { sampling: { temperature: 1 }, maxTokens: 40 });
    const sampling = seeded(drawn.receipt.seed);
    expect((await say('Good evening.', { sampling, maxTokens: 40 })).text).toBe(drawn.text);
    const other = await say('Good evening.', { sampling: { temperature: 1 }, maxTokens: 40 });
    expect(other.receipt.seed).not.toBe(drawn.receipt.seed);
  });

  test("E2 a turn's options go before those of its mind, field by field", async () => {
    await using mind = await newMind(seeded(7));
    const turn = mind.turn('Good evening.', { sampling: { temperature: 0 }, maxTokens: 20 });
    const { text, receipt } = await turn.result;
    expect(text).toBe((await say('Good evening.', { maxTokens: 20 })).text);
    expect(receipt.seed).toBe(7);
  });

  test('E2 greedy says the same beside others as alone, whoever else there is', async () => {
    const prompts = [
      'Good evening.',
      'In the beginning',
      'The people of',
      'My dear Elizabeth,',
      'Sing.',
      'Count.',
    ];
    const alone = [];
    for (const prompt of prompts) alone.push((await say(prompt, { maxTokens: 80 })).text);
    const together = await Promise.all(prompts.map((prompt) => say(prompt, { maxTokens: 80 })));
    expect(together.map(({ text }) => text)).toEqual(alone);
  });
});

describe('the end of a reply', () => {
  const WHOLE = 'In the beginning';
  let whole: string;
  beforeAll(async () => {
    whole = (await say(WHOLE, { maxTokens: 60 })).text;
  });

  test('E2 a stop string ends it wherever tokens are cut, and is no part of it', async () => {
    for (let at = 0; at < 60; at += 4) {
      for (const length of [1, 3, 9]) {
        const stop = whole.slice(at, at + length);
        await using mind = await newMind();
        const turn = mind.turn(WHOLE, { stop, maxTokens: 60 });
        const pieces = await piecesOf(turn);
        const { text, outcome } = await turn.result;
        expect([stop, text, outcome]).toEqual([stop, whole.slice(0, whole.indexOf(stop)), 'stop']);
        expect(pieces.join('')).toBe(text);
      }
    }
  });

  test('E2 of several stop strings the one that comes first ends it', async () => {
    const [early, late] = [whole.slice(20, 26), whole.slice(40, 44)];
    const { text } = await say(WHOLE, { stop: [late, 'never said', early], maxTokens: 60 });
    expect(text).toBe(whole.slice(0, Math.min(whole.indexOf(early), whole.indexOf(late))));
  });

  test('E2 what only began like a stop string is said', async () => {
    const stop = `${whole.slice(-6)}and no more`;
    expect(await say(WHOLE, { stop, maxTokens: 60 })).toMatchObject({ text: whole, outcome: 'length' });
  });

  test('E2 a limit of tokens ends it with length, and the tokens are counted', async () => {
    const { outcome, receipt } = await say(WHOLE, { maxTokens: 7 });
    expect([outcome, receipt.runs[0]?.produced, receipt.maxTokens]).toEqual(['length', 7, 7]);
  });

  test('E2 the model itself ends it with stop', async () => {
    const { outcome, receipt, text } = await say('Good evening.', { maxTokens: 400 });
    expect(outcome).toBe('stop');
    expect(receipt.runs[0]?.produced).toBeLessThan(400);
    expect(text).not.toMatch(/<\|/);
  });
});

describe('the text of a reply', () => {
  test('case-35 the pieces joined are the text, in more than one piece', async () => {
    await using mind = await newMind();
    const turn = mind.turn('Good evening.', { maxTokens: 100 });
    const pieces = await piecesOf(turn);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe((await turn.result).text);
  });

  test('case-35 the text is that of the tokens, whatever bytes they are', async () => {
    const model = load(TINY);
    let odd = 0;
    for (let seed = 0; seed < 10; seed++) {
      await using mind = await newMind();
      const turn = mind.turn('Sing.', { sampling: { ...anything, seed }, maxTokens: 40 });
      const pieces = await piecesOf(turn);
      const { text } = await turn.result;
      const [exchange] = [...(await savedOf(troupe, mind.id)).values()] as [
        { reply: { tokens: Int32Array } },
      ];
      const bytes = model.detokenize(exchange.reply.tokens, false);
      expect(text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      expect(pieces.join('')).toBe(text);
      if (/\uFFFD/.test(text)) odd++;
    }
    model.close();
    expect(odd).toBeGreaterThan(5);
  });

  test('case-35 a reply cut short at any token is the beginning of the longer one', async () => {
    const sampling = { ...anything, seed: 3 };
    const { text: whole } = await say('Sing.', { sampling, maxTokens: 40 });
    for (let maxTokens = 1; maxTokens < 40; maxTokens++) {
      expect(whole.startsWith((await say('Sing.', { sampling, maxTokens })).text)).toBe(true);
    }
  });
});

describe('a character that two tokens share', () => {
  const FACE = '\u{1f600}';
  const PROMPT = 'A people of';
  let place: ReturnType<typeof folder>;
  let split: Troupe;
  let whole: string;
  beforeAll(async () => {
    place = folder();
    split = await startTroupe({ model: writeSplitModel(join(place.path, 'split.gguf')), lanes: 2 });
    await using mind = await split.mind('whole', { sampling: circling });
    whole = (await mind.turn(PROMPT, { maxTokens: 60 }).result).text;
  });
  afterAll(async () => {
    await split.stop();
    place[Symbol.dispose]();
  });

  test('case-35 comes whole, in one piece', async () => {
    await using mind = await split.mind('ada', { sampling: circling });
    const pieces = await piecesOf(mind.turn(PROMPT, { maxTokens: 60 }));
    expect(pieces.join('')).toBe(whole);
    expect(whole).toContain(`x${FACE}yz`);
    for (const piece of pieces) expect(piece).not.toMatch(/\uFFFD|[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/);
  });

  test('case-35 comes whole to each of two minds that speak at once', async () => {
    const prompts = [PROMPT, 'A people and'];
    const alone = [];
    const say = async (prompt: string): Promise<string> => {
      await using mind = await split.mind(prompt, { sampling: circling });
      return (await piecesOf(mind.turn(prompt, { maxTokens: 100 }))).join('');
    };
    for (const prompt of prompts) alone.push(await say(prompt));
    expect(await Promise.all(prompts.map(say))).toEqual(alone);
    expect(alone.every((text) => text.includes(FACE))).toBe(true);
    expect(alone[0]).not.toBe(alone[1]);
  });

  test('case-35 is held back when the limit cuts it, and said by the next turn in its own right', async () => {
    let held = 0;
    for (let maxTokens = 1; maxTokens <= 12; maxTokens++) {
      await using mind = await split.mind(`cut ${maxTokens}`, { sampling: circling });
      const { text, receipt } = await mind.turn(PROMPT, { maxTokens }).result;
      expect(whole.startsWith(text)).toBe(true);
      expect(text).not.toContain('\uFFFD');
      if (text.endsWith('x')) held++;
      const next = await mind.turn('And?', { maxTokens: 4 }).result;
      expect(next.receipt.runs[0]?.reused).toBeGreaterThanOrEqual(receipt.promptTokens);
    }
    expect(held).toBeGreaterThan(0);
  });

  test('E2 a stop string of whole characters is found in it, and nothing of it is said', async () => {
    await using mind = await split.mind('ada', { sampling: circling });
    const turn = mind.turn(PROMPT, { stop: `${FACE}y`, maxTokens: 60 });
    const pieces = await piecesOf(turn);
    expect(pieces.join('')).toBe(whole.slice(0, whole.indexOf(FACE)));
    const { outcome, receipt } = await turn.result;
    expect(outcome).toBe('stop');
    const next = await mind.turn('And?', { maxTokens: 4 }).result;
    expect(next.receipt.runs[0]?.reused).toBeGreaterThanOrEqual(receipt.promptTokens);
  });
});
