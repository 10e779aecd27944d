import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, MindOptions, Troupe, TurnOptions } from '../../src/index.js';
import { greedy, startTroupe } from './stage.js';

let troupe: Troupe;
let ada: Mind;
beforeAll(async () => {
  troupe = await startTroupe({ lanes: 2 });
  ada = await troupe.mind('ada', { sampling: greedy });
});
/** Whatever was wrong before, a right turn is answered. */
afterAll(async () => {
  expect(await ada.turn('Good evening.', { maxTokens: 5 }).result).toMatchObject({ outcome: 'length' });
  expect(troupe.inspect().actors.filter((actor) => actor.restarts > 0)).toEqual([]);
  await troupe.stop();
});

const wrong = (argument: string, expected: string) => ({
  code: 'BadArgument',
  detail: { argument },
  message: expect.stringContaining(expected),
});
const thrown = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

type Row = readonly [what: string, options: unknown, argument: string, expected: string];
const SAMPLING: readonly Row[] = [
  ['a temperature below nothing', { temperature: -1 }, 'temperature', 'a number from 0 to 100'],
  ['a temperature that is no number', { temperature: Number.NaN }, 'temperature', 'a number'],
  ['a temperature as text', { temperature: '1' }, 'temperature', 'a number'],
  ['half a top-k', { topK: 0.5 }, 'topK', 'a whole number'],
  ['no top-p', { topP: 0 }, 'topP', 'above 0'],
  ['too much min-p', { minP: 1.1 }, 'minP', 'from 0 to 1'],
  ['no repeat penalty', { repeatPenalty: 0 }, 'repeatPenalty', 'from 0.000001'],
  ['next to no repeat penalty', { repeatPenalty: 1e-9 }, 'repeatPenalty', 'from 0.000001'],
  ['a look back before the beginning', { repeatLast: -2 }, 'repeatLast', '-1 or more'],
  ['a seed below nothing', { seed: -1 }, 'seed', 'from 0 to 4294967295'],
  ['a seed that is too great', { seed: 2 ** 32 }, 'seed', 'from 0 to 4294967295'],
  ['a misspelt name', { temprature: 1 }, 'temprature', 'temperature in its place'],
  ['a name of another library', { top_k: 1 }, 'top_k', 'topK in its place'],
];

describe('options of a mind', () => {
  const rows: readonly Row[] = [
    ['a system prompt that is none', { system: 7 }, 'options.system', 'a string'],
    ['a system prompt of null', { system: null }, 'options.system', 'a string'],
    ['a class that there is not', { class: 'urgent' }, 'options.class', 'realtime, interactive, background'],
    ['a class in capitals', { class: 'Realtime' }, 'options.class', 'realtime'],
    ['sampling that is none', { sampling: 0.5 }, 'options.sampling', 'an object'],
    ['sampling in a list', { sampling: [1] }, 'options.sampling', 'an object'],
    ['a misspelt name', { sytem: 'You are Ada.' }, 'options.sytem', 'system in its place'],
    ['what only a turn has', { maxTokens: 5 }, 'options.maxTokens', 'only system, sampling, class'],
    ['a text', 'You are Ada.', 'options', 'an object'],
    ['null', null, 'options', 'an object'],
    ...SAMPLING.map(
      ([what, sampling, field, expected]): Row => [
        `sampling with ${what}`,
        { sampling },
        `options.sampling.${field}`,
        expected,
      ],
    ),
  ];
  test.each(rows)('U1 %s', async (_what, options, argument, expected) => {
    await expect(troupe.mind('ben', options as MindOptions)).rejects.toMatchObject(wrong(argument, expected));
    await (await troupe.mind('ben')).leave();
  });

  test('U1 a system prompt that leaves no room, with the numbers', async () => {
    const system = 'Of the making of many books there is no end. '.repeat(40);
    await expect(troupe.mind('ben', { system })).rejects.toMatchObject({
      code: 'ContextFull',
      detail: { contextTokens: 512, roomTokens: 384, needTokens: expect.any(Number) },
      message: expect.stringMatching(/system prompt and the message take \d+ tokens/),
    });
  });
});

describe('options of a turn', () => {
  const rows: readonly Row[] = [
    ['a room without a name', { room: '' }, 'options.room', '1 to 256 characters'],
    ['a room of two lines', { room: 'a\nb' }, 'options.room', 'without a line break'],
    ['a room whose name is too long', { room: 'x'.repeat(257) }, 'options.room', '1 to 256 characters'],
    ['a room that is none', { room: 3 }, 'options.room', 'a string'],
    ['a signal that is none', { signal: new AbortController() }, 'options.signal', 'an AbortSignal'],
    ['no token', { maxTokens: 0 }, 'options.maxTokens', 'whole number from 1'],
    ['half a token', { maxTokens: 1.5 }, 'options.maxTokens', 'whole number from 1'],
    ['tokens without end', { maxTokens: Number.POSITIVE_INFINITY }, 'options.maxTokens', 'whole number'],
    ['tokens as text', { maxTokens: '9' }, 'options.maxTokens', 'whole number from 1'],
    ['a deadline of nothing', { deadline: 0 }, 'options.deadline', 'milliseconds'],
    ['a deadline in the past', { deadline: -5 }, 'options.deadline', 'milliseconds'],
    ['a deadline that is a date', { deadline: new Date() }, 'options.deadline', 'milliseconds'],
    ['a stop of nothing', { stop: '' }, 'options.stop', '1 to 256 bytes'],
    ['a stop of nothing among others', { stop: ['a', ''] }, 'options.stop[1]', '1 to 256 bytes'],
    ['a stop that is none', { stop: /x/ }, 'options.stop', 'a string'],
    ['a stop that is too long', { stop: 'x'.repeat(257) }, 'options.stop', '1 to 256 bytes'],
    ['a word that is none', { onReclaim: 'stop' }, 'options.onReclaim', 'resume, end'],
    ['too many stops', { stop: Array(17).fill('x') }, 'options.stop', 'at most 16'],
    ['a misspelt name', { stops: 'x' }, 'options.stops', 'stop in its place'],
    ['a name of another library', { max_tokens: 5 }, 'options.max_tokens', 'maxTokens in its place'],
    ['a text', 'main', 'options', 'an object'],
    ['null', null, 'options', 'an object'],
    ...SAMPLING.map(
      ([what, sampling, field, expected]): Row => [
        `sampling with ${what}`,
        { sampling },
        `options.sampling.${field}`,
        expected,
      ],
    ),
  ];
  test.each(rows)('U1 %s', (_what, options, argument, expected) => {
    expect(thrown(() => ada.turn('Hello.', options as TurnOptions))).toMatchObject(wrong(argument, expected));
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', { text: 'Hello.' }],
  ])('U1 a message that is %s', (_what, text) => {
    expect(thrown(() => ada.turn(text as string))).toMatchObject(wrong('text', 'a string'));
  });

  test('U1 what is undefined is as if it were left out', async () => {
    const none = { room: undefined, signal: undefined, maxTokens: undefined, stop: undefined } as never;
    const { receipt } = await ada.turn('Hello.', none).result;
    expect([receipt.room, receipt.maxTokens]).toEqual(['main', 128]);
  });

  test.each(['', ' ', '\n', '\0', 'a\0b', '\ud800', '<|user|>', '\u{10ffff}', '�'])(
    'U1 a message may be %j',
    async (text) => {
      await using mind = await troupe.mind('odd', { sampling: greedy });
      for (const room of ['main', text.replaceAll('\n', '') || 'x']) {
        const { outcome, error } = await mind.turn(text, { room, maxTokens: 3 }).result;
        expect([outcome === 'length' || outcome === 'stop', error]).toEqual([true, undefined]);
      }
      expect((await mind.turn('And?', { maxTokens: 3 }).result).error).toBeUndefined();
    },
  );
});

describe('what else can be asked of a troupe', () => {
  test.each<Row>([
    ['a preview that is neither', { preview: 1 }, 'options.preview', 'true or false'],
    ['a misspelt name', { previw: true }, 'options.previw', 'preview in its place'],
    ['options that are none', true, 'options', 'an object'],
  ])('U1 a peek with %s', async (_what, options, argument, expected) => {
    await expect(troupe.peek(ada.id, options as never)).rejects.toMatchObject(wrong(argument, expected));
  });

  test.each([undefined, 'turn.waiting', {}])('U1 a listener that is %j', (listener) => {
    expect(thrown(() => troupe.onProbe(listener as never))).toMatchObject(wrong('listener', 'a function'));
  });
});

describe('an address to peek at', () => {
  test.each([0, -1, 1.5, Number.NaN, '7', undefined])('U1 it cannot be %s', async (id) => {
    await expect(troupe.peek(id as number)).rejects.toMatchObject(wrong('actorId', 'the id of an actor'));
  });

  test('U1 nobody may live there', async () => {
    await expect(troupe.peek(ada.id + 1)).rejects.toMatchObject({ code: 'ActorEnded' });
    await expect(troupe.peek(2 ** 40)).rejects.toMatchObject({ code: 'ActorEnded' });
  });

  test('U1 a mind is seen by name', async () => {
    expect(await troupe.peek(ada.id)).toMatchObject({ id: ada.id, name: 'mind/ada', queued: [] });
  });
});
