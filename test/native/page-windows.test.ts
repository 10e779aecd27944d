/** Lanes read piece by piece through a window: of every kind of model the bytes that a page of the lane has. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument, EmptyLane, NativeFailure } from '../../src/errors.js';
import type { NativeContext, NativeModel } from '../../src/native/addon.js';
import { type LayoutInfo, type SectionData, SectionKind } from '../../src/native/pages.js';
import { addon, contextOptions, feed, load, PARLOUR, type RowTuple, step, thrown } from './fixtures.js';
import { type Kind, WINDOW, writeRandomModel } from './random-model.js';

const { pages } = addon;
const folder = mkdtempSync(join(tmpdir(), 'troupe-windows-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(folder, 'page');

const prompt = (lane: number): number[] =>
  Array.from({ length: 5 * WINDOW }, (_, i) => 4 + ((i * 37 + lane * 11) % 250));
const given: SectionData[] = [
  { kind: SectionKind.tokens, data: new Uint8Array(Int32Array.from(prompt(0)).buffer) },
  { kind: SectionKind.meta, data: Uint8Array.from([1, 2, 3]) },
];
/** So small that the state of a lane takes many pieces. */
const SMALL = 5 * 4096;

/** All sections one after the other, by pieces of at most so many bytes. */
function written(
  { sections }: LayoutInfo,
  most: number,
  write: (file: number, section: number, offset: number, length: number) => void,
): Buffer {
  const file = openSync(FILE, 'w');
  for (const [section, { bytes }] of sections.entries()) {
    for (let at = 0; at < bytes; at += most) write(file, section, at, Math.min(most, bytes - at));
  }
  closeSync(file);
  return readFileSync(FILE);
}

const kinds: (Kind | 'embedded')[] = ['dense', 'window', 'recurrent', 'hybrid', 'embedded'];

describe.each(kinds)('B4 a lane of a %s model, read through a window', (kind) => {
  let model: NativeModel;
  const opened: NativeContext[] = [];
  const open = (flashAttention = true): NativeContext => {
    const context = model.context({ ...contextOptions, flashAttention });
    context.setCheckpointBudget(2 ** 24);
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
    for (const id of pages.list()) pages.release(id);
  });
  afterAll(() => model.close());

  /** Two lanes whose cells interleave, the first with a checkpoint where the model has such. */
  const fill = (context: NativeContext): void => {
    for (let at = 0; at < prompt(0).length; at++) {
      const rows = [0, 1].map((lane): RowTuple => [prompt(lane)[at] as number, lane, at, 0]);
      expect(step(context, rows).status).toBe(0);
      if (at === 60) context.checkpoint(0);
    }
  };

  /** What a file of lane 0 has that is read through a window, and one that is written from its page. */
  function readBothWays(context: NativeContext) {
    const { page: window, pieceBytes, layout } = context.openWindow(0, given, SMALL);
    let pieces = 0;
    const through = written(layout, pieceBytes, (file, section, offset, length) => {
      context.fillWindow(section, offset, length);
      pages.write(file, window, 0, 0, length);
      pieces++;
    });
    context.closeWindow();
    const page = context.pageOut(0, given);
    expect(pages.info(page)).toMatchObject(layout);
    const whole = written(layout, 2 ** 30, (file, ...part) => pages.write(file, page, ...part));
    return { through, whole, pieces, sections: layout.sections.length };
  }

  it.each([true, false])(
    'B4 has the bytes of its page, each of them (flash attention: %s)',
    (flashAttention) => {
      const context = open(flashAttention);
      fill(context);
      const { through, whole, pieces, sections } = readBothWays(context);
      expect(through.equals(whole)).toBe(true);
      expect(pieces).toBeGreaterThan(sections);
    },
  );

  it('B4 has them also of a lane that shares its beginning with another one', () => {
    if (kind === 'recurrent' || kind === 'hybrid') return;
    const context = open();
    feed(context, 1, prompt(0).slice(0, 90), 0);
    expect(context.share(1, 0, 90)).toBe(true);
    for (const lane of [1, 0]) feed(context, lane, prompt(lane).slice(90), 0);
    const { through, whole } = readBothWays(context);
    expect(through.equals(whole)).toBe(true);
    expect(context.length(1)).toBe(prompt(1).length);
  });

  it('B4 is charged the window and nothing else, whatever the ceiling of pages', () => {
    const context = open();
    fill(context);
    const { bytes } = pages.usage();
    pages.setCeiling(0);
    context.openWindow(0, given, SMALL);
    context.openWindow(1, given, SMALL);
    expect(pages.usage()).toMatchObject({ bytes, windows: SMALL, count: 0 });
    context.close();
    expect(pages.usage().windows).toBe(0);
    pages.setCeiling(Number.POSITIVE_INFINITY);
  });

  it('B4 has no window any more when it has changed, and no other lane closes it', () => {
    const context = open();
    fill(context);
    const { page, pieceBytes } = context.openWindow(0, given, SMALL);
    feed(context, 1, [7], 0);
    context.clear(1);
    context.fillWindow(0, 0, pieceBytes);
    const before = pages.checksum(page, 0, 0, pieceBytes, 0);
    context.fillWindow(0, 0, pieceBytes);
    expect(pages.checksum(page, 0, 0, pieceBytes, 0)).toBe(before);
    feed(context, 0, [7], 0);
    expect(thrown(() => context.fillWindow(0, 0, 1))).toBeInstanceOf(BadArgument);
    expect(pages.info(page)).toBeUndefined();
  });
});

describe('B4 a window', () => {
  const model = load(PARLOUR);
  const context = model.context(contextOptions);
  afterAll(() => {
    context.close();
    model.close();
  });

  it('B4 is refused of an empty lane, where there is none, and beyond what there is', () => {
    context.clear(0);
    expect(thrown(() => context.openWindow(0, [], SMALL))).toBeInstanceOf(EmptyLane);
    expect(thrown(() => context.fillWindow(0, 0, 0)).detail?.argument).toBe('window');
    feed(context, 0, prompt(0), 0);
    const { pieceBytes, layout } = context.openWindow(0, given, SMALL);
    const [kv] = layout.sections;
    for (const [argument, section, offset, length] of [
      ['section', 3, 0, 0],
      ['section', -1, 0, 0],
      ['offset', 0, (kv?.bytes ?? 0) + 1, 0],
      ['length', 0, 0, pieceBytes + 1],
      ['length', 2, 1, 3],
    ] as const) {
      expect(thrown(() => context.fillWindow(section, offset, length)).detail?.argument).toBe(argument);
    }
    context.closeWindow();
  });

  it('B4 is refused where what is kept beside a piece leaves it no room', () => {
    context.clear(0);
    feed(context, 0, prompt(0), 0);
    expect(thrown(() => context.openWindow(0, given, 4096))).toBeInstanceOf(NativeFailure);
    expect(pages.usage().windows).toBe(0);
  });

  it('B4 keeps its memory while a thread still has hold of the piece', () => {
    const { page } = context.openWindow(0, given, SMALL);
    pages.retain(page);
    context.closeWindow();
    expect(pages.usage().windows).toBe(SMALL);
    pages.release(page);
    expect(pages.usage().windows).toBe(0);
  });
});
