/** Whatever is wrong about a page is refused with a type, and changes nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument, NoSuchPage, OverCeiling, PageMismatch } from '../../src/errors.js';
import type { NativeContext, NativeModel } from '../../src/native/addon.js';
import { SectionKind } from '../../src/native/pages.js';
import { addon, contextOptions, feed, load, modelPath, TINY, thrown } from './fixtures.js';

const { pages } = addon;
const data = new Uint8Array(8);

let model: NativeModel;
let context: NativeContext;
let page: number;
beforeAll(() => {
  model = load(TINY);
  context = model.context(contextOptions);
  feed(context, 0, [1, 2, 3, 4], 0);
  feed(context, 1, [5, 6, 7], 0);
  page = context.pageOut(1, [{ kind: SectionKind.meta, data }]);
});
afterAll(() => {
  pages.release(page);
  context.close();
  model.close();
});

const refused: [what: string, argument: string, call: (wrong: never) => unknown, wrong: unknown][] = [
  ['a lane beyond the last', 'lane', (lane) => context.pageOut(lane, []), 4],
  ['a lane that is no number', 'lane', (lane) => context.pageBytes(lane, []), '0'],
  ['no list of sections', 'sections', (sections) => context.pageOut(0, sections), undefined],
  ['a section of no kind', 'sections[0].kind', (it) => context.pageOut(0, [it]), { data }],
  ['a kv section', 'sections[0].kind', (it) => context.pageOut(0, [it]), { kind: 1, data }],
  ['a checkpoint', 'sections[0].kind', (it) => context.pageOut(0, [it]), { kind: 4, data }],
  ['a draft', 'sections[0].kind', (it) => context.pageOut(0, [it]), { kind: SectionKind.draftKv, data }],
  ['a tail', 'sections[0].kind', (it) => context.pageOut(0, [it]), { kind: 6, data }],
  ['bytes that are none', 'sections[0].data', (it) => context.pageOut(0, [it]), { kind: 3, data: [1] }],
  ['a size below none', 'sections[0].bytes', (it) => context.pageBytes(0, [it]), { kind: 3, bytes: -1 }],
  ['a lane in use', 'lane', (lane) => context.pageIn(lane, page), 0],
  ['an id that is no number', 'page', (id) => context.pageIn(2, id), null],
  ['an id below none', 'id', (id) => pages.info(id), -1],
  ['a section beyond the last', 'section', (section) => pages.checksum(page, section, 0, 1, 0), 2],
  ['an offset beyond the end', 'offset', (offset) => pages.checksum(page, 1, offset, 1, 0), 9],
  ['a length beyond the end', 'length', (length) => pages.checksum(page, 1, 4, length, 0), 5],
  ['a file that is none', 'fd', (fd) => pages.write(fd, page, 1, 0, 8), -1],
  ['a sealed page to read into', 'id', (id) => pages.read(0, id, 1, 0, 8), () => page],
  ['a sealed page to seal', 'id', (id) => pages.seal(id), () => page],
  ['a ceiling below none', 'bytes', (bytes) => pages.setCeiling(bytes), -1],
  ['a ceiling of no number', 'bytes', (bytes) => pages.setCeiling(bytes), Number.NaN],
  ['a layout of no sections', 'layout.sections.length', (sections) => create({ sections }), []],
  ['a layout of no kv', 'layout.sections[0].kind', (kind) => create({ sections: [{ kind, bytes: 1 }] }), 3],
  ['no fingerprint', 'layout.fingerprint', (fingerprint) => create({ fingerprint }), 5],
  ['no cells', 'layout.cells', (cells) => create({ cells }), 0],
];
const create = (wrong: object): number =>
  pages.create({
    ...{ fingerprint: 'x', cells: 1, sections: [{ kind: SectionKind.kv, bytes: 1 }] },
    ...wrong,
  });

describe('P1 P2 pages', () => {
  it.each(refused)('case-21 refuse %s', (_what, argument, call, wrong) => {
    const before = pages.usage();
    const error = thrown(() => call((typeof wrong === 'function' ? wrong() : wrong) as never));
    expect(error).toBeInstanceOf(BadArgument);
    expect(error.detail?.argument).toBe(argument);
    expect(pages.usage()).toEqual(before);
    expect([0, 1, 2, 3].map((lane) => context.length(lane))).toEqual([4, 0, 0, 0]);
  });

  it('case-21 refuse a page that is gone, and an unsealed one', () => {
    for (const call of [
      () => context.pageIn(1, 2 ** 50),
      () => pages.section(2 ** 50, 1),
      () => pages.retain(2 ** 50),
      () => pages.release(2 ** 50),
      () => pages.write(1, 2 ** 50, 0, 0, 0),
      () => pages.seal(2 ** 50),
    ]) {
      expect(thrown(call)).toBeInstanceOf(NoSuchPage);
    }
    const unsealed = create({ fingerprint: context.fingerprint });
    expect(thrown(() => context.pageIn(1, unsealed)).detail).toMatchObject({ expected: 'a sealed page' });
    pages.release(unsealed);
  });

  it('P1 are measured before any copy: over the ceiling the lane is as it was', () => {
    const needBytes = context.pageBytes(0, []);
    const usedBytes = pages.usage().bytes;
    pages.setCeiling(usedBytes + needBytes - 1);
    const error = thrown(() => context.pageOut(0, []));
    expect(error).toBeInstanceOf(OverCeiling);
    expect(error.detail).toEqual({ needBytes, usedBytes, ceilingBytes: usedBytes + needBytes - 1 });
    expect(context.length(0)).toBe(4);
    pages.setCeiling(usedBytes + needBytes);
    context.pageIn(0 + 1, context.pageOut(0, []));
    pages.setCeiling(Number.POSITIVE_INFINITY);
    pages.release(pages.list().at(-1) as number);
    context.clear(1);
    feed(context, 0, [1, 2, 3, 4], 0);
  });

  it.each([
    ['model', () => load(modelPath('parlour-tiny-Q8_0')), true],
    ['flash', () => load(TINY), false],
  ])('P3 case-22 are refused by a context of another %s, with the field', (field, other, flashAttention) => {
    const others = other();
    const foreign = others.context({ ...contextOptions, flashAttention });
    const error = thrown(() => foreign.pageIn(0, page));
    expect(error).toBeInstanceOf(PageMismatch);
    expect(error.detail?.field).toBe(field);
    expect(foreign.length(0)).toBe(0);
    foreign.close();
    others.close();
  });
});
