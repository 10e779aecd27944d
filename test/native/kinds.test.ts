import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeModel, StepStatus } from '../../src/native/addon.js';
import { addon, contextOptions, distance, feed, greedy, load, NONE } from './fixtures.js';
import { type Kind, WINDOW, writeRandomModel } from './random-model.js';

const folder = mkdtempSync(join(tmpdir(), 'troupe-kinds-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pathOf = (kind: string) => join(folder, `${kind}.gguf`);
const TOLERANCE = 0.01;
/** More than the window and what llama.cpp adds to it, so that a lane has lost what it does not keep on purpose. */
const tokens = Array.from({ length: 12 * WINDOW }, (_, i) => 4 + ((i * 37) % 250));

const kinds: {
  kind: Kind;
  canRollBack: boolean;
  recurrent: boolean;
  hybrid: boolean;
  slidingWindow: number;
}[] = [
  { kind: 'dense', canRollBack: true, recurrent: false, hybrid: false, slidingWindow: 0 },
  { kind: 'window', canRollBack: true, recurrent: false, hybrid: false, slidingWindow: WINDOW },
  { kind: 'recurrent', canRollBack: false, recurrent: true, hybrid: false, slidingWindow: 0 },
  { kind: 'hybrid', canRollBack: false, recurrent: false, hybrid: true, slidingWindow: 0 },
];

describe.each(kinds)('E6 a $kind model', ({ kind, ...expected }) => {
  let model: NativeModel;
  beforeAll(() => {
    writeRandomModel(pathOf(kind), kind);
    model = load(pathOf(kind));
  });
  afterAll(() => model.close());

  const cold = (input: readonly number[]) => {
    const context = model.context(contextOptions);
    expect(feed(context, 0, input, 2).status).toBe(StepStatus.ok);
    const logits = context.logits(0);
    context.close();
    return logits;
  };

  it('E6 says what it is', () => {
    expect(model.info).toMatchObject(expected);
    expect(addon.readHeader(pathOf(kind)).layers).toBe(model.info.layers);
  });

  it('E6 gives the same logits beside another lane and in chunks', () => {
    const context = model.context(contextOptions);
    feed(context, 1, tokens.slice(5), 0, 7);
    feed(context, 0, tokens, 2, 13);
    expect(distance(context.logits(0), cold(tokens))).toBeLessThan(TOLERANCE);
    context.close();
  });

  it('E6 is cut back and goes on as if never cut, or refuses and keeps the lane as it was', () => {
    const context = model.context({ ...contextOptions, lanes: 1, rows: 32 });
    const kept = WINDOW + 5;
    feed(context, 0, tokens, 0);
    const done = context.cut(0, kept);
    expect(done).toBe(model.info.canRollBack);
    expect(context.length(0)).toBe(done ? kept : tokens.length);
    feed(context, 0, [9], 2);
    expect(distance(context.logits(0), cold([...tokens.slice(0, context.length(0) - 1), 9]))).toBeLessThan(
      TOLERANCE,
    );
    context.close();
  });

  it('E6 starts anew in a lane that was cleared', () => {
    const context = model.context(contextOptions);
    feed(context, 0, tokens.slice(20), 0);
    context.clear(0);
    expect(context.length(0)).toBe(0);
    feed(context, 0, tokens, 2);
    expect(distance(context.logits(0), cold(tokens))).toBeLessThan(TOLERANCE);
    context.close();
  });

  it('E6 after an aborted step a lane is cut back or must be cleared, and others are as before', () => {
    const abortFlag = new Int32Array(new SharedArrayBuffer(4));
    const context = model.context({ ...contextOptions, abortFlag });
    for (const lane of [0, 1]) feed(context, lane, tokens.slice(0, 10), 0);
    Atomics.store(abortFlag, 0, 1);
    expect(feed(context, 0, tokens.slice(10, 30), 2).status).toBe(StepStatus.aborted);
    Atomics.store(abortFlag, 0, 0);
    if (!context.cut(0, 10)) {
      expect(model.info.canRollBack).toBe(false);
      context.clear(0);
    }
    feed(context, 0, tokens.slice(context.length(0)), 2);
    expect(distance(context.logits(0), cold(tokens))).toBeLessThan(TOLERANCE);
    feed(context, 1, [11], 2);
    expect(distance(context.logits(0), cold([...tokens.slice(0, 10), 11]))).toBeLessThan(TOLERANCE);
    context.close();
  });
});

describe('E6 a model whose numbers are none', () => {
  it('E6 fails its step with a reason, samples nothing and can be cut back', () => {
    const path = pathOf('spoiled');
    writeRandomModel(path, 'dense', ({ name, data }) => {
      if (name === 'output_norm.weight') data.fill(Number.NaN);
    });
    const model = load(path);
    const context = model.context(contextOptions);
    context.setSampler(0, greedy, NONE);
    expect(feed(context, 0, [5, 6, 7], 1)).toEqual({ status: StepStatus.failed, sampled: [] });
    expect(context.failure()).toContain('number');
    expect(context.cut(0, 0)).toBe(true);
    context.close();
    model.close();
  });
});

describe('E2 a vocabulary that puts a space before a text', () => {
  let model: NativeModel;
  beforeAll(() => {
    writeRandomModel(pathOf('spaces'), 'dense');
    model = load(pathOf('spaces'));
  });
  afterAll(() => model.close());

  const shown = (text: string, continues: boolean, special = true) =>
    new TextDecoder().decode(model.detokenize(model.tokenize(text, { special, continues }), true));

  it('E2 puts it before a text that begins, and not before one that continues', () => {
    expect(shown('hello', false)).toBe(' hello');
    expect(shown('hello', true)).toBe('hello');
    expect(model.tokenize('hello', { special: false, continues: true }).length).toBe(1);
  });

  it.each([' hello', '  hello world', 'lo', 'é', '👋', '\n', '\u0001', '\u{10fffd}x'])(
    'E2 continues with exactly %j',
    (text) => {
      expect(shown(text, true)).toBe(text);
    },
  );

  it('E2 keeps special tokens apart in a text that continues', () => {
    const [turn] = model.tokenize('<|turn|>', { special: true, continues: true });
    const tokens = model.tokenize('<|turn|>', { special: true, continues: true });
    expect([...tokens]).toEqual([turn]);
    expect(shown('hello<|turn|>', true)).toBe('hello<|turn|>');
    expect(model.specials()).toContain('<|turn|>');
  });
});
