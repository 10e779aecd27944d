import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, Troupe, TurnOptions, TurnResult } from '../../src/index.js';
import { load } from '../native/fixtures.js';
import {
  begun,
  circling,
  ENDLESS,
  folder,
  greedy,
  piecesOf,
  running,
  savedOf,
  startTroupe,
  TINY,
  TRAINED,
  until,
  writeLongModel,
} from './stage.js';

interface Said {
  readonly index: number;
  readonly user: { readonly content: string };
  readonly reply: { readonly content: string; readonly brokenOff: boolean };
}
/** What a mind remembers of its only room, oldest first, once the last of `exchanges` is saved. */
async function remembered(troupe: Troupe, mind: Mind, exchanges: number): Promise<Said[]> {
  for (;;) {
    const saved = [...(await savedOf(troupe, mind.id)).values()] as Said[];
    saved.sort((a, b) => a.index - b.index);
    // What left for the sake of the last one is gone by then: the store takes a mind's words in order.
    if (saved.at(-1)?.index === exchanges - 1) return saved;
  }
}

describe('rooms', () => {
  let troupe: Troupe;
  let minds = 0;
  const newMind = (system = '', sampling = greedy): Promise<Mind> =>
    troupe.mind(`mind ${++minds}`, { system, sampling });
  const say = (mind: Mind, text: string, options: TurnOptions = {}): Promise<TurnResult> =>
    mind.turn(text, { maxTokens: 8, ...options }).result;
  beforeAll(async () => {
    troupe = await startTroupe({ lanes: 2 });
  });
  afterAll(() => troupe.stop());
  afterEach(() => until(() => running(troupe) === 0, 'a troupe at rest'));

  test('T8 turns of one room run in the order they were called, each knowing those before it', async () => {
    await using mind = await newMind();
    const ends: number[] = [];
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        say(mind, `Part ${i}.`).then((result) => {
          ends.push(i);
          return result;
        }),
      ),
    );
    expect(ends).toEqual([0, 1, 2, 3, 4, 5]);
    const prompts = results.map(({ receipt }) => receipt.promptTokens);
    expect(prompts).toEqual([...prompts].sort((a, b) => a - b));
    const said = await remembered(troupe, mind, 6);
    expect(said.map(({ user }) => user.content)).toEqual([0, 1, 2, 3, 4, 5].map((i) => `Part ${i}.`));
    expect(said.map(({ reply }) => reply.content)).toEqual(results.map(({ text }) => text));
  });

  test('T8 rooms of one mind run side by side', async () => {
    await using mind = await newMind('', circling);
    const turns = ['a', 'b'].map((room) => mind.turn(ENDLESS, { room, maxTokens: 480 }));
    await until(() => running(troupe) === 2, 'two running lanes');
    for (const turn of turns) turn.cancel();
    await Promise.all(turns.map((turn) => turn.result));
  });

  test('T8 what was said in one room is not known in another', async () => {
    await using mind = await newMind();
    const fresh = await say(mind, 'Good evening.', { room: 'a' });
    await say(mind, 'And then?', { room: 'a' });
    expect((await say(mind, 'Good evening.', { room: 'b' })).receipt.promptTokens).toBe(
      fresh.receipt.promptTokens,
    );
  });

  test('T8 a reply may take a quarter of the context when nobody says how much', async () => {
    await using mind = await newMind('', circling);
    const { receipt, outcome } = await mind.turn(ENDLESS).result;
    expect([receipt.maxTokens, receipt.runs[0]?.produced, outcome]).toEqual([
      TRAINED / 4,
      TRAINED / 4,
      'length',
    ]);
  });

  test('T8 the oldest turns leave whole when the room is full, and the system prompt stays', async () => {
    const system = 'You are the keeper of a lighthouse, and you speak of nothing but the sea.';
    await using mind = await newMind(system);
    const alone = await newMind(system);
    const least = (await say(alone, 'x', { maxTokens: 1 })).receipt.promptTokens;
    await alone.leave();
    let kept = 0;
    let left = 0;
    let exchange = 0;
    for (let i = 0; i < 16; i++) {
      const { receipt, error } = await say(mind, `This is part ${i} of a story of the sea and the ships.`);
      expect(error).toBeUndefined();
      if (receipt.turnsDropped > 0) {
        expect(receipt.promptTokens).toBeLessThanOrEqual((TRAINED * 3) / 4);
        // No more than had to.
        expect(receipt.promptTokens).toBeGreaterThan((TRAINED * 3) / 4 - exchange);
        expect(receipt.runs[0]?.reused).toBeGreaterThan(least / 2);
        expect(receipt.runs[0]?.reused).toBeLessThan(receipt.promptTokens / 2);
      } else {
        exchange = receipt.promptTokens - least + 8;
        if (i > 0) exchange = Math.ceil(exchange / i);
        expect(receipt.promptTokens + receipt.maxTokens).toBeLessThanOrEqual(TRAINED);
      }
      left += receipt.turnsDropped;
      kept = i + 1 - left;
    }
    expect(left).toBeGreaterThan(0);
    const said = await remembered(troupe, mind, left + kept);
    expect(said.length).toBe(kept);
    expect(said[0]?.user.content).toContain(`part ${left} of`);
  });

  test('T8 nothing leaves as long as prompt and reply fit', async () => {
    await using mind = await newMind();
    const long = 'And it came to pass in those days. '.repeat(18);
    expect((await say(mind, long)).receipt.turnsDropped).toBe(0);
    const second = await say(mind, long, { maxTokens: 8 });
    const { promptTokens, turnsDropped } = second.receipt;
    expect(promptTokens).toBeGreaterThan((TRAINED * 3) / 4);
    expect([turnsDropped, promptTokens + 8 <= TRAINED]).toEqual([0, true]);
  });

  test('T8 a reply is cut to the room that is left, and ends with length', async () => {
    await using mind = await newMind('', circling);
    const { receipt, outcome } = await mind.turn(ENDLESS, { maxTokens: 5_000 }).result;
    expect(receipt.maxTokens).toBe(TRAINED - receipt.promptTokens);
    expect([outcome, receipt.runs[0]?.produced]).toEqual(['length', receipt.maxTokens]);
  });

  test('T8 a message that cannot fit is refused with the numbers, and the room goes on', async () => {
    await using mind = await newMind('You are Ada.');
    await say(mind, 'Good evening.');
    const { outcome, error, receipt } = await say(mind, 'Of the making of books. '.repeat(80));
    expect([outcome, error?.code]).toEqual(['failed', 'ContextFull']);
    expect(error?.detail).toMatchObject({ contextTokens: TRAINED, roomTokens: (TRAINED * 3) / 4 });
    expect(error?.detail.needTokens).toBeGreaterThan((TRAINED * 3) / 4);
    expect(error?.message).toContain(String(error?.detail.needTokens));
    expect(receipt.runs).toEqual([]);
    expect((await say(mind, 'And then?')).outcome).not.toBe('failed');
    expect(await remembered(troupe, mind, 2)).toHaveLength(2);
  });

  test('T8 a message of megabytes is refused at sight, by the least that it can take', async () => {
    const text = 'And it came to pass. '.repeat(200_000);
    await using mind = await newMind();
    const { error } = await say(mind, text);
    const model = load(TINY);
    const { offsets } = model.pieces();
    const tokens = model.tokenize('And it came to pass. ', { special: false, continues: true }).length;
    model.close();
    const longest = offsets.reduce((most, end, i) => Math.max(most, end - (offsets[i - 1] ?? 0)), 0);
    expect(error).toMatchObject({
      code: 'ContextFull',
      detail: { needTokens: Math.ceil(text.length / longest), roomTokens: (TRAINED * 3) / 4 },
    });
    expect(error?.detail.needTokens).toBeLessThan(200_000 * tokens);
    await expect(newMind(text)).rejects.toMatchObject({ code: 'ContextFull' });
  });

  test('T8 a turn whose message and system prompt just fit is answered', async () => {
    const text = 'a '.repeat(150);
    await using mind = await newMind();
    const { receipt, error } = await say(mind, text);
    const spare = (TRAINED * 3) / 4 - receipt.promptTokens;
    expect(error).toBeUndefined();
    await using edge = await newMind();
    const most = await say(edge, text + 'a '.repeat(spare));
    expect(most.receipt.promptTokens).toBeGreaterThan(receipt.promptTokens);
    const over = await say(edge, text + 'a '.repeat(spare + 20), { room: 'b' });
    expect(over.error?.code).toBe('ContextFull');
  });
});

describe('readers', () => {
  let troupe: Troupe;
  let mind: Mind;
  beforeAll(async () => {
    troupe = await startTroupe({ lanes: 1 });
    mind = await troupe.mind('ada', { sampling: circling });
  });
  afterAll(() => troupe.stop());

  test('T8 a turn that nobody reads runs to its end', async () => {
    const { outcome, text } = await mind.turn(ENDLESS, { maxTokens: 200, room: 'a' }).result;
    expect(outcome).toBe('length');
    expect(text.length).toBeGreaterThan(200);
  });

  test('T8 one that is read late is one piece', async () => {
    const turn = mind.turn(ENDLESS, { maxTokens: 50, room: 'b' });
    const { text } = await turn.result;
    expect(await piecesOf(turn)).toEqual([text]);
  });

  test('T8 a slow reader gets fewer and longer pieces, and all of the text', async () => {
    const turn = mind.turn(ENDLESS, { maxTokens: 300, room: 'c' });
    const pieces: string[] = [];
    for await (const { text } of turn) {
      pieces.push(text);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    const { text, receipt } = await turn.result;
    expect(pieces.join('')).toBe(text);
    expect(pieces.length).toBeLessThan((receipt.runs[0]?.produced ?? 0) / 2);
  });

  test('T8 a reader that blocks its thread does not hold the lane up', async () => {
    const turn = mind.turn(ENDLESS, { maxTokens: 450, room: 'd' });
    await begun(turn);
    const before = troupe.inspect().tokens.produced;
    const until = Date.now() + 10_000;
    while (running(troupe) > 0 && Date.now() < until);
    expect(running(troupe)).toBe(0);
    expect(troupe.inspect().tokens.produced - before).toBeGreaterThan(200);
    const { text, outcome } = await turn.result;
    expect(outcome).toBe('length');
    expect((await piecesOf(turn)).join('')).toBe(text);
  });

  test('T8 two readers of one turn each get all of it', async () => {
    const turn = mind.turn(ENDLESS, { maxTokens: 60, room: 'e' });
    const [a, b] = await Promise.all([piecesOf(turn), piecesOf(turn)]);
    const { text } = await turn.result;
    expect([a.join(''), b.join('')]).toEqual([text, text]);
  });
});

describe('deadlines and what is broken off', () => {
  const CONTEXT = 16_384;
  let place: ReturnType<typeof folder>;
  let troupe: Troupe;
  let minds = 0;
  const newMind = (): Promise<Mind> => troupe.mind(`mind ${++minds}`, { sampling: circling });
  const late = { outcome: 'failed', error: { code: 'DeadlineExceeded' } };
  beforeAll(async () => {
    place = folder();
    const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
    troupe = await startTroupe({ model, lanes: 1, context: CONTEXT });
  });
  afterAll(async () => {
    await troupe.stop();
    place[Symbol.dispose]();
  });
  afterEach(() => until(() => running(troupe) === 0, 'a troupe at rest'));

  test('T8 a deadline ends a turn that waits for a lane', async () => {
    await using first = await newMind();
    await using second = await newMind();
    const other = first.turn(ENDLESS, { maxTokens: 8_000 });
    await begun(other);
    const result = await second.turn('Good evening.', { deadline: 500 }).result;
    expect(result).toMatchObject({ ...late, text: '', receipt: { outcome: 'failed', runs: [] } });
    expect(result.error?.detail).toMatchObject({ deadlineMs: 500 });
    expect(Object.keys(result.receipt.waits)).toEqual(['lane']);
    expect(running(troupe)).toBe(1);
    other.cancel();
  });

  test('T8 a deadline ends a turn that waits for its room', async () => {
    await using mind = await newMind();
    const other = mind.turn(ENDLESS, { maxTokens: 8_000 });
    await begun(other);
    const result = await mind.turn('And then?', { deadline: 500 }).result;
    expect(result).toMatchObject({ ...late, receipt: { runs: [] } });
    expect(Object.keys(result.receipt.waits)).toEqual(['room']);
    other.cancel();
    expect((await other.result).outcome).toBe('aborted');
  });

  test('T8 a deadline ends a turn in its prompt', async () => {
    await using mind = await newMind();
    const text = 'And it came to pass in those days, that there went out a decree. '.repeat(500);
    const result = await mind.turn(text, { deadline: 250, maxTokens: 10 }).result;
    expect(result).toMatchObject({ ...late, text: '' });
    expect(result.receipt.runs[0]?.produced ?? 0).toBe(0);
  });

  test('T8 a deadline ends a turn that speaks, with what it has said', async () => {
    await using mind = await newMind();
    const turn = mind.turn(ENDLESS, { deadline: 1_000, maxTokens: 12_000 });
    const pieces: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { text } of turn) pieces.push(text);
    };
    await expect(read()).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    const { text, outcome, receipt } = await turn.result;
    expect([outcome, receipt.runs[0]?.outcome]).toEqual(['failed', 'failed']);
    expect(text).not.toBe('');
    expect(pieces.join('')).toBe(text);
  });

  test.each([
    ['a cancel', (mind: Mind) => mind.turn(ENDLESS, { maxTokens: 8_000 }), 'aborted'],
    ['a deadline', (mind: Mind) => mind.turn(ENDLESS, { maxTokens: 8_000, deadline: 1_000 }), 'failed'],
  ] as const)(
    'T8 what %s breaks off stays in the room, marked, and the room goes on',
    async (how, call, outcome) => {
      await using mind = await newMind();
      const turn = call(mind);
      await begun(turn);
      if (how === 'a cancel') turn.cancel();
      const broken = await turn.result;
      expect(broken.outcome).toBe(outcome);
      const next = await mind.turn('And then?', { maxTokens: 4 }).result;
      expect(next.receipt.promptTokens).toBeGreaterThan(
        broken.receipt.promptTokens + (broken.receipt.runs[0]?.produced ?? 0),
      );
      const said = await remembered(troupe, mind, 2);
      expect(said.map(({ reply }) => [reply.content, reply.brokenOff])).toEqual([
        [broken.text, true],
        [next.text, false],
      ]);
    },
  );
});
