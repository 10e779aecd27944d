import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type ContextOptions,
  type NativeContext,
  type NativeModel,
  StepStatus,
} from '../../src/native/addon.js';
import { contextOptions, distance, feed, greedy, ids, load, NONE, produce, step, TINY } from './fixtures.js';

/** Logits of the same tokens through batches of different shape differ in their last bits only. */
const SHAPE_TOLERANCE = 0.02;

let model: NativeModel;
let prompt: Int32Array;
const opened: NativeContext[] = [];

beforeAll(() => {
  model = load(TINY);
  prompt = ids(model, '<|im_start|>user\nTell me of the sea, and of the ships that sail on it.<|im_end|>\n');
});
afterEach(() => {
  for (const context of opened.splice(0)) context.close();
});
afterAll(() => model.close());

function open(options: Partial<ContextOptions> = {}): NativeContext {
  const context = model.context({ ...contextOptions, ...options });
  opened.push(context);
  return context;
}

function logitsOf(
  context: NativeContext,
  lane: number,
  tokens: ArrayLike<number>,
  chunk?: number,
): Float32Array {
  expect(feed(context, lane, tokens, 2, chunk).status).toBe(StepStatus.ok);
  return context.logits(0);
}

const argMax = (logits: Float32Array): number => logits.indexOf(Math.max(...logits));

describe('E1 a step', () => {
  it('E1 is equal bit for bit to the same step of another context', () => {
    expect(logitsOf(open(), 0, prompt)).toEqual(logitsOf(open(), 0, prompt));
  });

  it.each([true, false])(
    'E1 gives the same logits whatever lane it runs on (flash attention: %s)',
    (flashAttention) => {
      const context = open({ flashAttention });
      const first = logitsOf(context, 0, prompt);
      expect(distance(logitsOf(context, 3, prompt), first)).toBeLessThan(SHAPE_TOLERANCE);
    },
  );

  it.each([1, 3, 7, 16])('E1 gives the logits of the whole prompt when it comes in chunks of %i', (chunk) => {
    const whole = logitsOf(open(), 0, prompt);
    const parts = logitsOf(open(), 0, prompt, chunk);
    expect(distance(parts, whole)).toBeLessThan(SHAPE_TOLERANCE);
    expect(argMax(parts)).toBe(argMax(whole));
  });

  it('E1 decodes lanes beside each other as each alone', () => {
    const texts = ['The whale', 'It is a truth', 'In the beginning', 'I am by birth'].map((text) =>
      ids(model, text),
    );
    const together = open();
    const rows = texts.flatMap((tokens, lane) =>
      Array.from(tokens, (token, i) => [token, lane, i, i === tokens.length - 1 ? 2 : 0] as const),
    );
    expect(step(together, rows).status).toBe(StepStatus.ok);
    texts.forEach((tokens, lane) => {
      expect(distance(together.logits(lane), logitsOf(open(), 0, tokens))).toBeLessThan(SHAPE_TOLERANCE);
    });
  });

  it('E1 counts what each lane holds', () => {
    const context = open();
    feed(context, 1, prompt);
    expect([0, 1, 2, 3].map((lane) => context.length(lane))).toEqual([0, prompt.length, 0, 0]);
    context.clear(1);
    expect(context.length(1)).toBe(0);
  });

  it('E1 may have no output at all', () => {
    expect(feed(open(), 0, prompt, 0)).toEqual({ status: StepStatus.ok, sampled: [] });
  });

  it('E1 gives natural logarithms of probabilities that sum to one', () => {
    const context = open();
    const logits = logitsOf(context, 0, prompt);
    const high = Math.max(...logits);
    const total = logits.reduce((sum, value) => sum + Math.exp(value - high), 0);
    let sum = 0;
    for (let token = 0; token < logits.length; token++) {
      const actual = context.logProbability(0, token);
      sum += Math.exp(actual);
      expect(actual).toBeCloseTo((logits[token] as number) - high - Math.log(total), 4);
    }
    expect(sum).toBeCloseTo(1, 5);
  });
});

describe('E1 a lane', () => {
  it('E1 that is cut back and goes on equals one never cut', () => {
    const context = open();
    feed(context, 0, prompt, 0);
    feed(context, 0, ids(model, ' something else entirely'), 0);
    expect(context.cut(0, prompt.length)).toBe(true);
    expect(context.length(0)).toBe(prompt.length);
    const rest = ids(model, ' Once');
    const cut = logitsOf(context, 0, rest);
    const never = open();
    feed(never, 0, prompt, 0);
    expect(distance(cut, logitsOf(never, 0, rest))).toBeLessThan(SHAPE_TOLERANCE);
  });

  it('E1 that is cut where it ends stays as it is', () => {
    const context = open();
    feed(context, 0, prompt);
    expect(context.cut(0, prompt.length)).toBe(true);
    expect(context.cut(0, 0)).toBe(true);
    expect(context.length(0)).toBe(0);
  });

  it('case-27 no free cell is an answer, disturbs nobody, and cells come back when a lane is cut', () => {
    const context = open({ cells: 256, lanes: 2 });
    const other = feed(context, 1, prompt, 2);
    expect(other.status).toBe(StepStatus.ok);
    const free = context.cells - prompt.length;
    const filler = new Int32Array(free).fill(prompt[0] as number);
    expect(feed(context, 0, filler, 0).status).toBe(StepStatus.ok);
    expect(feed(context, 1, [5], 2).status).toBe(StepStatus.noRoom);
    expect(context.failure()).toContain('slot');
    expect([context.length(0), context.length(1)]).toEqual([free, prompt.length]);
    expect(context.cut(0, free - 8)).toBe(true);
    const after = logitsOf(context, 1, [5]);
    const alone = open();
    feed(alone, 0, prompt, 0);
    expect(distance(after, logitsOf(alone, 0, [5]))).toBeLessThan(SHAPE_TOLERANCE);
  });

  it('case-29 there may be 256 of them, each with its own text', () => {
    const context = open({ lanes: 256, cells: 1024, rows: 256 });
    const rows = Array.from({ length: 256 }, (_, lane) => [lane + 20, lane, 0, 2] as const);
    expect(step(context, rows).status).toBe(StepStatus.ok);
    const alone = open();
    for (const lane of [0, 100, 255]) {
      alone.clear(0);
      expect(distance(context.logits(lane), logitsOf(alone, 0, [lane + 20]))).toBeLessThan(SHAPE_TOLERANCE);
    }
  });
});

describe('E1 the abort flag', () => {
  it('E1 stops a step early, and the lanes can be cut back and go on', () => {
    const abortFlag = new Int32Array(new SharedArrayBuffer(4));
    const context = open({ abortFlag });
    context.setSampler(0, greedy, NONE);
    feed(context, 0, prompt.subarray(0, 4), 0);
    Atomics.store(abortFlag, 0, 1);
    expect(feed(context, 0, prompt.subarray(4), 1)).toEqual({ status: StepStatus.aborted, sampled: [] });
    Atomics.store(abortFlag, 0, 0);
    expect(context.cut(0, 4)).toBe(true);
    const resumed = logitsOf(context, 0, prompt.subarray(4));
    expect(argMax(resumed)).toBe(argMax(logitsOf(open(), 0, prompt)));
  });
});

describe('E1 memory', () => {
  it('E1 is told per buffer, and grows with the cells', () => {
    const total = (
      context: NativeContext,
      part: 'modelBytes' | 'contextBytes' | 'computeBytes' | 'outputBytes',
    ) => context.memory().reduce((sum, buffer) => sum + buffer[part], 0);
    const small = open({ cells: 256 });
    const large = open({ cells: 2048 });
    expect(total(small, 'modelBytes')).toBe(model.info.weightBytes);
    expect(total(large, 'contextBytes')).toBe(8 * total(small, 'contextBytes'));
    expect(total(small, 'computeBytes')).toBeGreaterThan(0);
    expect(total(small, 'outputBytes')).toBe(4 * model.info.vocabulary * small.lanes);
    expect(small.memory().some((buffer) => buffer.host)).toBe(true);
  });
});

describe('E2 production', () => {
  it('E2 goes on greedily the same, in one lane or beside others', () => {
    const context = open();
    for (const lane of [0, 1]) context.setSampler(lane, greedy, NONE);
    const first = feed(context, 0, prompt, 1).sampled[0] as number;
    const alone = produce(context, 0, first, 24);
    feed(context, 2, ids(model, 'something beside it'), 0);
    expect(feed(context, 1, prompt, 1).sampled).toEqual([first]);
    expect(produce(context, 1, first, 24)).toEqual(alone);
  });
});
