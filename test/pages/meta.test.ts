import { describe, expect, it } from 'vitest';
import { ownerOf, readMeta, writeMeta } from '../../src/pages/meta.js';

const gene = (hash: string, scale: number) => ({ hash, scale });

describe('what a page says of its activity', () => {
  it('P1 comes back as it was written, the scales as float32', () => {
    const meta = { owner: 'me', activity: '5/main', genes: [gene('aa', 0.1), gene('bb', 1)], base: 7 };
    expect(readMeta(writeMeta(meta))).toEqual({
      ...meta,
      genes: [gene('aa', Math.fround(0.1)), gene('bb', 1)],
    });
  });

  it('P3 is the same in whatever order the genes are named', () => {
    const meta = { owner: 'me', activity: '5/main', base: 0 };
    const [one, other] = [gene('aa', 1), gene('bb', 2)];
    expect(writeMeta({ ...meta, genes: [one, other] })).toEqual(writeMeta({ ...meta, genes: [other, one] }));
  });

  it('P3 without genes, all tokens ran none', () => {
    const meta = { owner: 'me', activity: '5/main', genes: [], base: 3 };
    expect(readMeta(writeMeta(meta)).base).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"version":2,"owner":"x","activity":"y","genes":[],"base":0}',
    '{"version":1,"owner":"x","activity":"y","genes":[["aa"]],"base":0}',
    '{"version":1,"owner":"x","activity":"y","genes":[],"base":-1}',
    '{"version":1,"owner":1,"activity":"y","genes":[],"base":0}',
  ])('P6 is refused where it is not one: %s', (text) => {
    expect(() => readMeta(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'PageCorrupt' }));
  });

  it('P1 names the owner, of a page that may be anybody’s', () => {
    expect(ownerOf(writeMeta({ owner: 'me', activity: '5/main', genes: [], base: 0 }))).toEqual({
      owner: 'me',
      activity: '5/main',
    });
    expect([ownerOf(undefined), ownerOf(Buffer.from('x'))].map(({ owner }) => owner)).toEqual(['', '']);
  });
});
