/** Lanes that share the cells of an equal beginning. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument, ModelUnsupported } from '../../src/errors.js';
import {
  type ContextOptions,
  type NativeContext,
  type NativeModel,
  StepStatus,
} from '../../src/native/addon.js';
import { contextOptions, distance, feed, GENE, load, TINY, thrown } from './fixtures.js';
import { loadGene } from './random-gene.js';
import { type Kind, WINDOW, writeRandomModel } from './random-model.js';

/** As of one prompt through batches of different shape. */
const TOLERANCE = 0.02;
const prefix = Array.from({ length: 96 }, (_, i) => 4 + ((i * 37) % 250));
const suffix = [7, 19, 23, 42, 5];
const other = [90, 91, 17];

const opened: NativeContext[] = [];
afterEach(() => {
  for (const context of opened.splice(0)) context.close();
});
function open(model: NativeModel, options: Partial<ContextOptions> = {}): NativeContext {
  const context = model.context({ ...contextOptions, ...options });
  opened.push(context);
  return context;
}
/** The logits after a prefix of its own and these tokens, both in the steps that `feed` takes. */
function cold(model: NativeModel, tokens: readonly number[], rest: readonly number[]): Float32Array {
  const context = open(model);
  feed(context, 0, tokens, 0);
  feed(context, 0, rest, 2);
  return context.logits(0);
}
const logits = (context: NativeContext, lane: number, tokens: readonly number[]): Float32Array => {
  expect(feed(context, lane, tokens, 2).status).toBe(0);
  return context.logits(0);
};

describe('E1 lanes of a dense model that share a beginning', () => {
  let model: NativeModel;
  beforeAll(() => {
    model = load(TINY);
  });
  afterAll(() => model.close());

  it('case-30 go on from it as a lane that processed it does, bit for bit', () => {
    const context = open(model);
    feed(context, 0, prefix, 0);
    expect(context.share(0, 1, prefix.length)).toBe(true);
    expect([context.length(0), context.length(1)]).toEqual([prefix.length, prefix.length]);
    expect(logits(context, 1, suffix)).toEqual(cold(model, prefix, suffix));
    expect(distance(logits(context, 0, other), cold(model, prefix, other))).toBeLessThan(TOLERANCE);
  });

  it('case-30 may share a part of what a lane holds, and not be disturbed by how that one goes on', () => {
    const context = open(model);
    feed(context, 2, [...prefix, ...other], 0);
    expect(context.share(2, 0, 50)).toBe(true);
    feed(context, 2, other, 0);
    expect(distance(logits(context, 0, suffix), cold(model, prefix.slice(0, 50), suffix))).toBeLessThan(
      TOLERANCE,
    );
  });

  it.each([
    ['is cleared', (context: NativeContext, lane: number) => context.clear(lane)],
    ['is cut back', (context: NativeContext, lane: number) => context.cut(lane, 10)],
  ])('case-30 keep it when either of them %s and others take the cells that are free', (_what, change) => {
    for (const [gone, kept] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const context = open(model, { cells: 256 });
      feed(context, 0, prefix, 0);
      context.share(0, 1, prefix.length);
      feed(context, gone, other, 0);
      change(context, gone);
      expect(feed(context, 2, new Array(150).fill(9), 0).status).toBe(0);
      expect(distance(logits(context, kept, suffix), cold(model, prefix, suffix))).toBeLessThan(TOLERANCE);
    }
  });

  it('T1 take its cells once, and free them with the last of them', () => {
    const context = open(model, { cells: 256 });
    const half = new Array(128).fill(9);
    feed(context, 0, half, 0);
    for (const lane of [1, 2]) context.share(0, lane, 128);
    expect(feed(context, 3, half, 0).status).toBe(0);
    expect(feed(context, 0, [5], 0).status).toBe(StepStatus.noRoom);
    context.cut(0, 128);
    context.clear(0);
    context.clear(1);
    expect(feed(context, 3, [5], 0).status).toBe(StepStatus.noRoom);
    context.clear(2);
    expect(feed(context, 0, half, 0).status).toBe(0);
  });

  const refused: [argument: string, from: unknown, to: unknown, tokens: unknown][] = [
    ['from', -1, 1, 1],
    ['from', 4, 1, 1],
    ['from', '0', 1, 1],
    ['to', 0, 4, 1],
    ['to', 0, 0, 1],
    ['to', 0, 2, 1],
    ['to', 0, undefined, 1],
    ['tokens', 0, 1, 0],
    ['tokens', 0, 1, prefix.length + 1],
    ['tokens', 0, 1, 1.5],
    ['tokens', 3, 1, 1],
  ];
  it.each(refused)(
    'E1 are refused a wrong %s before the C call (%s, %s, %s)',
    (argument, from, to, tokens) => {
      const context = open(model);
      feed(context, 0, prefix, 0);
      feed(context, 2, other, 0);
      const error = thrown(() => context.share(from as never, to as never, tokens as never));
      expect(error).toBeInstanceOf(BadArgument);
      expect(error.detail?.argument).toBe(argument);
      expect([0, 1, 2, 3].map((lane) => context.length(lane))).toEqual([prefix.length, 0, other.length, 0]);
    },
  );

  it('E3 run genes only from the position they are given, wherever a chunk ends', () => {
    const { id } = loadGene(model, GENE);
    const genes = [{ gene: id, scale: 1 }];
    const stepwise = open(model);
    feed(stepwise, 0, prefix, 0);
    stepwise.setGenes(0, genes);
    const expected = logits(stepwise, 0, suffix);
    expect(distance(expected, cold(model, prefix, suffix))).toBeGreaterThan(TOLERANCE);
    for (const chunk of [64, 7]) {
      const context = open(model);
      context.setGenes(0, genes, prefix.length);
      feed(context, 0, [...prefix, ...suffix], 2, chunk);
      expect(distance(context.logits(0), expected)).toBeLessThan(TOLERANCE);
    }
    const whole = open(model);
    for (const lane of [0, 1]) whole.setGenes(lane, genes);
    feed(whole, 0, prefix, 0);
    whole.share(0, 1, prefix.length);
    const shared = logits(whole, 1, suffix);
    expect(logits(whole, 0, suffix)).toEqual(shared);
    const wrong = thrown(() => stepwise.setGenes(0, genes, -1));
    expect(wrong.detail?.argument).toBe('from');
    for (const context of opened.splice(0)) context.close();
    model.unloadGene(id);
  });
});

describe('E6 lanes of other kinds of models', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-share-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const random = (kind: Kind): NativeModel => {
    const path = join(folder, `${kind}.gguf`);
    writeRandomModel(path, kind);
    return load(path);
  };

  it.each<Kind>(['recurrent', 'hybrid'])('case-30 share nothing: refused with a type (%s)', (kind) => {
    const model = random(kind);
    const context = open(model);
    feed(context, 0, prefix, 0);
    expect(thrown(() => context.share(0, 1, 40))).toBeInstanceOf(ModelUnsupported);
    expect([context.length(0), context.length(1)]).toEqual([prefix.length, 0]);
    expect(distance(logits(context, 0, suffix), cold(model, prefix, suffix))).toBeLessThan(TOLERANCE);
    for (const each of opened.splice(0)) each.close();
    model.close();
  });

  it('case-30 share within a sliding window and beyond', () => {
    const model = random('window');
    for (const tokens of [WINDOW - 5, prefix.length - 3, prefix.length]) {
      const context = open(model);
      feed(context, 0, prefix, 0);
      expect(context.share(0, 1, tokens)).toBe(true);
      expect(distance(logits(context, 1, suffix), cold(model, prefix.slice(0, tokens), suffix))).toBeLessThan(
        TOLERANCE,
      );
    }
    for (const each of opened.splice(0)) each.close();
    model.close();
  });

  it('E6 whose passed window was given to others neither share from there nor are cut back there', () => {
    const model = random('window');
    const context = open(model, { cells: 512 });
    feed(context, 0, prefix, 0);
    feed(context, 1, prefix, 0);
    context.clear(0);
    // Fills what is free before lane 1, and then takes what lane 1's window has passed.
    feed(context, 2, [...prefix, ...prefix.slice(0, 32)], 0);
    expect(context.share(1, 3, 40)).toBe(false);
    expect(context.cut(1, 40)).toBe(false);
    expect([context.length(1), context.length(3)]).toEqual([prefix.length, 0]);
    expect(context.share(1, 3, prefix.length)).toBe(true);
    expect(distance(logits(context, 3, suffix), cold(model, prefix, suffix))).toBeLessThan(TOLERANCE);
    for (const each of opened.splice(0)) each.close();
    model.close();
  });
});
