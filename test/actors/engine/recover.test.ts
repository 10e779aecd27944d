/** Which pages of the process's store an engine that was started again takes over. The store is told what it holds. */
import { describe, expect, it } from 'vitest';
import { Pages } from '../../../src/actors/engine/pages.js';
import type { PageRecord } from '../../../src/actors/engine/protocol.js';
import { NoSuchPage } from '../../../src/errors.js';
import { writeMeta } from '../../../src/pages/meta.js';

/** Pages by number: whose they say they are, and whether they are whole. */
function recovered(
  held: Readonly<Record<number, readonly [owner: string, activity: string, sealed: boolean, kept?: boolean]>>,
  handedOver: readonly PageRecord[],
) {
  const released: number[] = [];
  const store = {
    list: () => Object.keys(held).map(Number),
    info: (page: number) => {
      const [, , sealed, kept = true] = held[page] ?? [];
      return held[page] && { bytes: 10, cells: 5, sealed, kept };
    },
    section: (page: number) => {
      const [owner = '', activity = ''] = held[page] ?? [];
      return writeMeta({ owner, activity, genes: [], base: 0 });
    },
    release: (page: number) => {
      if (held[page] === undefined) throw new NoSuchPage({ name: `${page}` });
      released.push(page);
    },
  };
  const listener = { moved: () => {}, paged: () => {}, unpaged: () => {}, failed: () => {} };
  const pages = new Pages(
    { owner: 'us', pageBytes: 2 ** 30 },
    {} as never,
    {} as never,
    store as never,
    listener,
  );
  pages.recover(handedOver);
  return { taken: pages, pages: pages.all(), released };
}
const record = (activity: string, page: number): PageRecord => ({ activity, page, held: 5, bytes: 10 });

describe('an engine that is started again', () => {
  it('E7 takes over what was handed over, and what was made and could not be', () => {
    const held = {
      1: ['us', '7/main', true],
      2: ['us', '8/main', true],
      3: ['them', '9/main', true],
    } as const;
    expect(recovered(held, [record('7/main', 1)])).toMatchObject({
      pages: [record('7/main', 1), record('8/main', 2)],
      released: [],
    });
  });

  it('E7 of two pages of an activity the later is its page', () => {
    const held = { 1: ['us', '7/main', true], 2: ['us', '7/main', true] } as const;
    expect(recovered(held, [record('7/main', 1)])).toMatchObject({
      pages: [record('7/main', 2)],
      released: [1],
    });
  });

  it('P5 has a page that was read from disk once, whatever it says of itself', () => {
    const held = { 4: ['us', '7/main', true] } as const;
    expect(recovered(held, [record('12/main', 4)])).toMatchObject({
      pages: [record('12/main', 4)],
      released: [],
    });
    const { taken, released } = recovered(held, []);
    expect(taken.all()).toEqual([record('7/main', 4)]);
    for (let times = 0; times < 2; times++) taken.takeOver(record('12/main', 4));
    expect([taken.all(), released]).toEqual([[record('12/main', 4)], []]);
  });

  it('P5 lets go of a page that its reader has let go of meanwhile', () => {
    const held: Record<number, readonly [string, string, boolean]> = { 4: ['us', '7/main', true] };
    const { taken, released } = recovered(held, []);
    delete held[4];
    taken.drop(record('7/main', 4));
    expect([taken.all(), released]).toEqual([[], []]);
  });

  it('P5 takes over no page that is gone', () => {
    const { taken } = recovered({}, []);
    taken.takeOver(record('12/main', 4));
    expect(taken.all()).toEqual([]);
  });

  it('P5 takes over no page that was let go of, and is only being written yet', () => {
    const held = { 4: ['us', '7/main', true, false], 5: ['us', '8/main', true, false] } as const;
    const { taken, released } = recovered(held, [record('7/main', 4)]);
    taken.takeOver(record('8/main', 5));
    expect([taken.all(), released]).toEqual([[], []]);
  });

  it('P5 leaves alone what is still being read, and what is gone', () => {
    const held = { 4: ['us', '7/main', false] } as const;
    expect(recovered(held, [record('8/main', 3)])).toMatchObject({ pages: [], released: [] });
  });
});
