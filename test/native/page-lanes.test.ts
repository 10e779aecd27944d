/** Lanes that go through pages and come back: of every kind of model, bit for bit as if they had never left. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmptyLane, NativeFailure, NoSuchPage } from '../../src/errors.js';
import type { ContextOptions, NativeContext, NativeModel } from '../../src/native/addon.js';
import { SectionKind } from '../../src/native/pages.js';
import {
  addon,
  contextOptions,
  distance,
  feed,
  load,
  PARLOUR,
  type RowTuple,
  step,
  thrown,
} from './fixtures.js';
import { type Kind, WINDOW, writeRandomModel } from './random-model.js';

const folder = mkdtempSync(join(tmpdir(), 'troupe-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lengths = [150, 90, 5 * WINDOW, 7];
const textOf = (lane: number, length = lengths[lane] as number): number[] =>
  Array.from({ length }, (_, i) => 4 + ((i * 37 + lane * 11) % 250));

/** All lanes at once, so that their cells interleave. */
function feedAll(context: NativeContext): void {
  for (let position = 0; position < Math.max(...lengths); position++) {
    const rows = lengths.flatMap((length, lane): RowTuple[] =>
      position < length ? [[textOf(lane)[position] as number, lane, position, 0]] : [],
    );
    expect(step(context, rows).status).toBe(0);
  }
}

const kinds: (Kind | 'embedded')[] = ['dense', 'window', 'recurrent', 'hybrid', 'embedded'];

describe.each(kinds)('P2 a %s model', (kind) => {
  let model: NativeModel;
  const opened: NativeContext[] = [];
  const open = (options: Partial<ContextOptions> = {}): NativeContext => {
    const context = model.context({ ...contextOptions, ...options });
    opened.push(context);
    return context;
  };
  beforeAll(() => {
    const path = join(folder, `${kind}.gguf`);
    if (kind !== 'embedded') writeRandomModel(path, kind);
    model = load(kind === 'embedded' ? PARLOUR : path);
  });
  afterEach(() => {
    for (const context of opened.splice(0)) context.close();
    for (const id of addon.pages.list()) addon.pages.release(id);
  });
  afterAll(() => model.close());

  /** The logits of each of some steps from where the lane ends. */
  const goOn = (context: NativeContext, lane: number): Float32Array[] =>
    [9, 31, 77].map((token) => {
      expect(feed(context, lane, [token], 2).status).toBe(0);
      return context.logits(0);
    });
  const never = (lanes: readonly number[], options: Partial<ContextOptions> = {}): Float32Array[][] => {
    const context = open(options);
    feedAll(context);
    return lanes.map((lane) => goOn(context, lane));
  };

  it.each([true, false])(
    'P2 goes on bit for bit in the lane it left (flash attention: %s)',
    (flashAttention) => {
      const context = open({ flashAttention });
      feedAll(context);
      const pages = [0, 1, 2, 3].map((lane) => context.pageOut(lane, []));
      expect([0, 1, 2, 3].map((lane) => context.length(lane))).toEqual([0, 0, 0, 0]);
      pages.forEach((page, lane) => {
        context.pageIn(lane, page);
      });
      expect([0, 1, 2, 3].map((lane) => context.length(lane))).toEqual(lengths);
      const after = [0, 1, 2, 3].map((lane) => goOn(context, lane));
      const expected = never([0, 1, 2, 3], { flashAttention });
      if (kind !== 'window' || flashAttention) return expect(after).toEqual(expected);
      // What the window had passed stays behind, and its cells go to the next tokens: the sums are grouped in another way.
      for (const [lane, steps] of after.entries()) {
        for (const [i, logits] of steps.entries())
          expect(distance(logits, expected[lane]![i]!)).toBeLessThan(0.01);
      }
    },
  );

  it('P2 goes on bit for bit in another lane, while the others stayed', () => {
    const context = open({ lanes: 5 });
    feedAll(context);
    const page = context.pageOut(2, []);
    feed(context, 2, [1, 2, 3], 0);
    context.pageIn(4, page);
    expect(goOn(context, 4)).toEqual(never([2], { lanes: 5 })[0]);
    expect(context.length(0)).toBe(lengths[0]);
  });

  it('E7 goes on bit for bit in a context with other lanes and cells', () => {
    const context = open();
    feedAll(context);
    const pages = lengths.map((_, lane) => context.pageOut(lane, []));
    const { fingerprint } = context;
    context.close();
    const relaunched = open({ lanes: 9, cells: 768 });
    expect(relaunched.fingerprint).toBe(fingerprint);
    pages.forEach((page, i) => {
      relaunched.pageIn(8 - i, page);
    });
    expect(goOn(relaunched, 7)).toEqual(never([1])[0]);
  });

  it('P2 a page serves twice, and holds what it was given', () => {
    const context = open();
    feedAll(context);
    const meta = Uint8Array.from([1, 2, 3]);
    const tokens = new Uint8Array(Int32Array.from(textOf(1)).buffer);
    const sections = [
      { kind: SectionKind.tokens, data: tokens },
      { kind: SectionKind.meta, data: meta },
    ] as const;
    const needed = context.pageBytes(
      1,
      sections.map(({ kind, data }) => ({ kind, bytes: data.length })),
    );
    const before = addon.pages.usage().bytes;
    const page = context.pageOut(1, sections);
    expect(addon.pages.usage().bytes - before).toBe(needed);
    expect(addon.pages.info(page)).toMatchObject({ bytes: needed, cells: 90, references: 1, sealed: true });
    expect(addon.pages.section(page, SectionKind.meta)).toEqual(meta);
    expect(addon.pages.section(page, SectionKind.tokens)).toEqual(tokens);
    context.pageIn(1, page);
    const expected = goOn(context, 1);
    context.clear(1);
    context.pageIn(1, page);
    expect(goOn(context, 1)).toEqual(expected);
  });

  it('P2 a page that finds too few free cells stays, and the lane is clean', () => {
    const context = open({ cells: 256, lanes: 2 });
    feed(context, 0, textOf(0), 0);
    const page = context.pageOut(0, []);
    feed(context, 1, textOf(1, 150), 0);
    if (kind === 'recurrent') return;
    expect(thrown(() => context.pageIn(0, page))).toBeInstanceOf(NativeFailure);
    expect(context.length(0)).toBe(0);
    context.clear(1);
    context.pageIn(0, page);
    expect(context.length(0)).toBe(150);
  });

  it('P1 P2 refuse an empty lane, a lane in use and a page that is not there', () => {
    const context = open();
    expect(thrown(() => context.pageOut(0, []))).toBeInstanceOf(EmptyLane);
    expect(thrown(() => context.pageBytes(0, []))).toBeInstanceOf(EmptyLane);
    feed(context, 0, [1, 2, 3], 0);
    feed(context, 1, [1, 2, 3], 0);
    const page = context.pageOut(0, []);
    expect(thrown(() => context.pageIn(1, page)).detail?.argument).toBe('lane');
    expect(thrown(() => context.pageIn(0, page + 1))).toBeInstanceOf(NoSuchPage);
    expect(context.length(1)).toBe(3);
  });
});
