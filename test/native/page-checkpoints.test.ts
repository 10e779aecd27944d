/** Checkpoints: what lanes that cannot be cut back are taken back to, and what the budget keeps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument } from '../../src/errors.js';
import type { NativeContext, NativeModel } from '../../src/native/addon.js';
import { addon, contextOptions, distance, feed, load, thrown } from './fixtures.js';
import { type Kind, writeRandomModel } from './random-model.js';

const folder = mkdtempSync(join(tmpdir(), 'troupe-checkpoints-'));
afterAll(() => rmSync(folder, { recursive: true }));
const prompt = Array.from({ length: 120 }, (_, i) => 4 + ((i * 37) % 250));

const random = (kind: Kind): NativeModel => {
  const path = join(folder, `${kind}.gguf`);
  writeRandomModel(path, kind);
  return load(path);
};
const positions = (context: NativeContext, lane: number): number[] =>
  context.checkpoints(lane).map(({ position }) => position);

describe.each<Kind>(['recurrent', 'hybrid', 'window'])('P7 a lane of a %s model', (kind) => {
  let model: NativeModel;
  let context: NativeContext;
  let bytes: number;
  beforeAll(() => {
    model = random(kind);
    context = model.context(contextOptions);
    context.setCheckpointBudget(2 ** 30);
    feed(context, 0, prompt, 0);
    bytes = context.checkpoint(0)?.bytes as number;
    context.close();
  });
  const open = (budget: number): NativeContext => {
    context = model.context(contextOptions);
    context.setCheckpointBudget(budget);
    return context;
  };
  afterEach(() => {
    context.close();
    for (const id of addon.pages.list()) addon.pages.release(id);
  });
  afterAll(() => model.close());

  /** Feeds up to each position, and keeps a checkpoint there. */
  const keep = (lane: number, ...at: number[]): void => {
    for (const position of at) {
      feed(context, lane, prompt.slice(context.length(lane), position), 0);
      context.checkpoint(lane);
    }
  };

  it('E6 goes on from a checkpoint as if nothing had come after it', () => {
    open(100 * bytes);
    keep(0, 40, 80);
    feed(context, 0, [9], 2);
    const expected = context.logits(0);
    feed(context, 0, [200, 201, 202], 0);
    expect(context.restoreCheckpoint(0, 83)).toBe(80);
    expect(context.length(0)).toBe(80);
    feed(context, 0, [9], 2);
    expect(distance(context.logits(0), expected)).toBeLessThan(1e-4);
    expect(context.restoreCheckpoint(0, 79)).toBe(40);
    expect(positions(context, 0)).toEqual([40]);
    expect(context.restoreCheckpoint(0, 39)).toBeUndefined();
    expect(context.length(0)).toBe(40);
  });

  it('P7 takes its checkpoints through a page, and E5 comes back to them', () => {
    open(100 * bytes);
    keep(0, 40, 80);
    feed(context, 0, [9], 2);
    const expected = context.logits(0);
    const page = context.pageOut(0, []);
    expect(context.checkpointCounts().bytes).toBe(0);
    context.pageIn(3, page);
    expect(positions(context, 3)).toEqual([40, 80]);
    expect(context.restoreCheckpoint(3, 80)).toBe(80);
    feed(context, 3, [9], 2);
    expect(distance(context.logits(0), expected)).toBeLessThan(1e-4);
  });

  it('P7 keeps no checkpoint of what it no longer holds', () => {
    open(100 * bytes);
    keep(0, 40, 80);
    keep(1, 50);
    context.clear(0);
    expect(positions(context, 0)).toEqual([]);
    expect(positions(context, 1)).toEqual([50]);
    expect(context.checkpoint(0)).toBeUndefined();
    expect(context.checkpoint(1)).toEqual(context.checkpoints(1)[0]);
    expect(positions(context, 1)).toEqual([50]);
    expect(context.checkpointCounts().bytes).toBe(bytesOf(context));
  });

  it('P7 in one budget: the lane that holds most drops its oldest after its first', () => {
    open(4 * bytes);
    keep(0, 70, 80, 90);
    keep(1, 75);
    expect(context.checkpointCounts()).toMatchObject({ evicted: 0, skipped: 0 });
    keep(1, 95);
    expect(context.evictedCheckpoints()).toEqual([{ lane: 0, position: 80, bytes }]);
    expect([positions(context, 0), positions(context, 1)]).toEqual([
      [70, 90],
      [75, 95],
    ]);
    keep(2, 100);
    keep(3, 110);
    expect([0, 1, 2, 3].map((lane) => positions(context, lane).length)).toEqual([1, 1, 1, 1]);
    keep(0, 115);
    const { evicted, skipped } = context.checkpointCounts();
    expect([evicted, skipped]).toEqual([3, 1]);
    expect(positions(context, 0)).toEqual([70]);
    context.setCheckpointBudget(2 * bytes);
    expect(context.checkpointCounts()).toMatchObject({ bytes: 2 * bytes, evicted: 5 });
    context.setCheckpointBudget(0);
    expect(context.checkpointCounts()).toMatchObject({ bytes: 0, evicted: 7 });
    expect(context.evictedCheckpoints().map(({ lane }) => lane)).toEqual([2, 3]);
  });

  it('P7 is refused a position that it does not have', () => {
    open(bytes);
    keep(0, 40);
    for (const position of [-1, 41, 1.5]) {
      expect(thrown(() => context.restoreCheckpoint(0, position))).toBeInstanceOf(BadArgument);
    }
    expect(thrown(() => context.checkpoint(4))).toBeInstanceOf(BadArgument);
    expect(thrown(() => context.checkpoints(-1))).toBeInstanceOf(BadArgument);
    expect(thrown(() => context.setCheckpointBudget(-1))).toBeInstanceOf(BadArgument);
  });

  const bytesOf = (of: NativeContext): number =>
    [0, 1, 2, 3].flatMap((lane) => of.checkpoints(lane)).reduce((sum, each) => sum + each.bytes, 0);
});

describe('P1 lanes of a dense model', () => {
  it('P7 that can be cut anywhere keep no checkpoints', () => {
    const model = random('dense');
    const context = model.context(contextOptions);
    context.setCheckpointBudget(2 ** 30);
    feed(context, 0, prompt, 0);
    expect(context.checkpoint(0)).toBeUndefined();
    expect(context.checkpointCounts()).toMatchObject({ bytes: 0, skipped: 0 });
    context.close();
    model.close();
  });

  it('P1 that share cells: one pages out, the others keep theirs, and it comes back with its own', () => {
    const model = random('dense');
    const context = model.context(contextOptions);
    const next = (lane: number): Float32Array => {
      feed(context, lane, [9], 2);
      return context.logits(0);
    };
    feed(context, 0, prompt, 0);
    context.share(0, 1, 100);
    const alone = model.context(contextOptions);
    feed(alone, 0, prompt.slice(0, 100), 0);
    feed(alone, 0, [9], 2);
    const page = context.pageOut(0, []);
    expect([context.length(0), context.length(1)]).toEqual([0, 100]);
    expect(next(1)).toEqual(alone.logits(0));
    context.pageIn(2, page);
    context.clear(1);
    feed(context, 3, prompt.slice(3), 0);
    feed(alone, 1, prompt, 0);
    feed(alone, 1, [9], 2);
    expect(distance(next(2), alone.logits(0))).toBeLessThan(0.01);
    addon.pages.release(page);
    for (const each of [context, alone]) each.close();
    model.close();
  });
});
