import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument } from '../../src/errors.js';
import type { ContextOptions, LoadOptions, NativeContext, NativeModel } from '../../src/native/addon.js';
import {
  addon,
  contextOptions,
  feed,
  greedy,
  load,
  NONE,
  type RowTuple,
  step,
  TINY,
  thrown,
} from './fixtures.js';

let model: NativeModel;
let context: NativeContext;
beforeAll(() => {
  model = load(TINY);
  context = model.context(contextOptions);
});
afterAll(() => {
  context.close();
  model.close();
});

/** What no type checker lets through, but JavaScript does. */
const wrong = (value: unknown) => value as never;

const sampler = (changed: object) => () => context.setSampler(0, { ...greedy, ...changed }, NONE);
const made = (changed: object) => () => model.context({ ...contextOptions, ...changed } as ContextOptions);
const loaded = (changed: object) => () =>
  addon.loadModel({ path: TINY, mmap: false, gpuLayers: 0, ...changed } as LoadOptions);
const rows =
  (...list: RowTuple[]) =>
  () =>
    step(context, list);

const table: [argument: string, call: () => unknown][] = [
  ['path', () => addon.readHeader(wrong(5))],
  ['path', () => addon.readHeader('')],
  ['path', () => addon.readHeader('a\0b')],
  ['options', () => addon.loadModel(wrong(undefined))],
  ['options.path', loaded({ path: 7 })],
  ['options.mmap', loaded({ mmap: 'yes' })],
  ['options.gpuLayers', loaded({ gpuLayers: 1.5 })],
  ['options.gpuLayers', loaded({ gpuLayers: -2 })],
  ['options.onProgress', loaded({ onProgress: 1 })],
  ['id', () => addon.attachModel(wrong('1'))],
  ['id', () => addon.attachModel(-1)],
  ['id', () => addon.attachModel(123_456)],

  ['text', () => model.tokenize(wrong(1), { special: true, continues: false })],
  ['options', () => model.tokenize('a', wrong(undefined))],
  ['options.special', () => model.tokenize('a', wrong({ continues: true }))],
  ['options.continues', () => model.tokenize('a', wrong({ special: true, continues: 0 }))],
  ['tokens', () => model.detokenize(wrong([1, 2]), true)],
  ['tokens', () => model.detokenize(wrong(new Uint8Array(4)), true)],
  ['tokens[1]', () => model.detokenize(Int32Array.of(1, -1), true)],
  ['tokens[0]', () => model.detokenize(Int32Array.of(2 ** 30), true)],
  ['special', () => model.detokenize(Int32Array.of(1), wrong(1))],

  ['options', () => model.context(wrong(null))],
  ['options.lanes', made({ lanes: 0 })],
  ['options.lanes', made({ lanes: 257, rows: 300 })],
  ['options.lanes', made({ lanes: Number.NaN })],
  ['options.cells', made({ cells: 0 })],
  ['options.cells', made({ cells: 2 ** 40 })],
  ['options.cells', made({ cells: 100.5 })],
  ['options.rows', made({ rows: 3 })],
  ['options.rows', made({ rows: 2048 })],
  ['options.threads', made({ threads: 0 })],
  ['options.threads', made({ threads: 513 })],
  ['options.promptThreads', made({ promptThreads: '2' })],
  ['options.flashAttention', made({ flashAttention: undefined })],
  ['options.abortFlag', made({ abortFlag: new Int32Array(1) })],
  ['options.abortFlag', made({ abortFlag: new Int32Array(new SharedArrayBuffer(8)) })],
  ['options.abortFlag', made({ abortFlag: {} })],

  ['rows', () => context.step(wrong([1, 0, 0, 0]), 1, NONE)],
  ['rows.length', () => context.step(new Int32Array(4), 2, NONE)],
  ['count', () => context.step(new Int32Array(4), 0, NONE)],
  ['count', () => context.step(new Int32Array(4), -1, NONE)],
  ['count', () => context.step(new Int32Array(4 * 65), 65, NONE)],
  ['sampled', () => context.step(new Int32Array(4), 1, wrong(undefined))],
  ['sampled.length', () => context.step(Int32Array.of(1, 1, 0, 1), 1, NONE)],
  ['rows[0].token', rows([-1, 0, 0, 0])],
  ['rows[0].token', rows([1_000_000, 0, 0, 0])],
  ['rows[0].lane', rows([1, -1, 0, 0])],
  ['rows[0].lane', rows([1, 4, 0, 0])],
  ['rows[0].lane', rows([1, 2 ** 31 - 1, 0, 0])],
  ['rows[0].lane', rows([1, 3, 0, 1])],
  ['rows[0].position', rows([1, 0, 1, 0])],
  ['rows[0].position', rows([1, 0, -1, 0])],
  ['rows[1].position', rows([1, 0, 0, 0], [1, 0, 0, 0])],
  ['rows[2].position', rows([1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 2, 0])],
  ['rows[0].output', rows([1, 0, 0, wrong(3)])],
  ['rows[0].output', rows([1, 0, 0, wrong(-1)])],
  ['rows[1].output', rows([1, 1, 0, 1], [1, 1, 1, 1])],
  ['rows[4].output', rows(...[0, 1, 2, 3, 4].map((i): RowTuple => [1, 0, i, 2]))],

  ['options.seed', sampler({ seed: -1 })],
  ['options.seed', sampler({ seed: 0.5 })],
  ['options.seed', sampler({ seed: 2 ** 53 + 2 })],
  ['options.seed', sampler({ seed: 1n })],
  ['options.temperature', sampler({ temperature: -0.1 })],
  ['options.temperature', sampler({ temperature: Number.NaN })],
  ['options.temperature', sampler({ temperature: Number.POSITIVE_INFINITY })],
  ['options.topK', sampler({ topK: -1 })],
  ['options.topK', sampler({ topK: 2 ** 31 })],
  ['options.topP', sampler({ topP: 1.1 })],
  ['options.minP', sampler({ minP: -0.5 })],
  ['options.repeatPenalty', sampler({ repeatPenalty: 0 })],
  ['options.repeatLast', sampler({ repeatLast: -2 })],
  ['options', () => context.setSampler(0, wrong(undefined), NONE)],
  ['lane', () => context.setSampler(4, greedy, NONE)],
  ['produced', () => context.setSampler(0, greedy, wrong([1]))],
  ['produced[1]', () => context.setSampler(0, greedy, Int32Array.of(1, -5))],

  ['lane', () => context.cut(-1, 0)],
  ['lane', () => context.cut(wrong(undefined), 0)],
  ['from', () => context.cut(0, -1)],
  ['from', () => context.cut(0, 1)],
  ['lane', () => context.clear(99)],
  ['lane', () => context.length(1.5)],
  ['output', () => context.logits(0)],
  ['output', () => context.logProbability(wrong('0'), 1)],
];

describe('E1 a wrong argument', () => {
  it.each(table)('E1 is refused before the C call: %s (%#)', (argument, call) => {
    context.setSampler(1, greedy, NONE);
    const error = thrown(call);
    expect(error).toBeInstanceOf(BadArgument);
    expect(error.detail?.argument).toBe(argument);
    expect(error.detail?.expected).not.toBe('');
    expect([0, 1, 2, 3].map((lane) => context.length(lane))).toEqual([0, 0, 0, 0]);
    expect(addon.live()).toEqual({ models: 1, contexts: 1, genes: 0 });
  });

  it('E1 names an output or token that the last step does not have', () => {
    feed(context, 0, [1, 2], 2);
    expect(thrown(() => context.logits(1)).detail).toMatchObject({ argument: 'output', value: 1 });
    expect(thrown(() => context.logProbability(0, -1)).detail).toMatchObject({
      argument: 'token',
      value: -1,
    });
    feed(context, 0, [1], 0);
    expect(thrown(() => context.logits(0)).detail).toMatchObject({ argument: 'output' });
    context.clear(0);
  });

  it('E1 is what a closed context or model is', () => {
    const other = load(TINY);
    const closed = other.context(contextOptions);
    closed.close();
    closed.close();
    expect(thrown(() => closed.length(0)).detail).toMatchObject({ argument: 'context' });
    expect(thrown(() => closed.step(new Int32Array(4), 1, NONE)).detail).toMatchObject({
      argument: 'context',
    });
    other.close();
    other.close();
    expect(thrown(() => other.ends()).detail).toMatchObject({ argument: 'model' });
    expect(thrown(() => other.context(contextOptions)).detail).toMatchObject({ argument: 'model' });
  });

  it('E1 is a method torn from its object, and a class called from outside', () => {
    expect(() => Reflect.apply(context.length, {}, [0])).toThrow();
    const made = context as unknown as { constructor: new (...args: unknown[]) => unknown };
    expect(() => new made.constructor()).toThrow(BadArgument);
    expect(() => new made.constructor({})).toThrow(BadArgument);
  });
});
