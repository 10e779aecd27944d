import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeRoom, PageTable } from '../../../src/actors/broker/page-table.js';
import { type PageRecord, UNMADE } from '../../../src/actors/engine/protocol.js';

const page = (activity: string, number: number, bytes = 100): PageRecord => ({
  activity,
  page: number,
  held: 10,
  bytes,
});
const nobody = (): boolean => false;
const names = (records: readonly PageRecord[] | undefined) => records?.map(({ activity }) => activity);

describe('what the broker knows of pages', () => {
  let table: PageTable;
  beforeEach(() => {
    table = new PageTable(() => 0);
  });

  it('P2 an activity has one page, the latest', () => {
    table.put(page('a', 1));
    table.put(page('b', 2));
    table.put(page('a', 3));
    expect(table.of('a')?.page).toBe(3);
    expect(names(table.all())).toEqual(['b', 'a']);
  });

  it('P2 word of an earlier page takes nothing from the one that there is', () => {
    table.put(page('a', 3));
    table.remove({ activity: 'a', page: 1 });
    expect(table.of('a')?.page).toBe(3);
    table.remove({ activity: 'a', page: 3 });
    expect(table.of('a')).toBeUndefined();
  });

  it('E7 a new engine says which pages there are', () => {
    table.put(page('a', 1));
    table.open([page('b', 2)]);
    expect(names(table.all())).toEqual(['b']);
  });

  it('P4 counts the bytes of all, each page once', () => {
    for (const record of [page('a', 1), page('b', 2, 50), page('a', 3, 70)]) table.put(record);
    expect(table.bytes).toBe(120);
    table.remove({ activity: 'a', page: 1 });
    table.remove({ activity: 'b', page: 2 });
    expect(table.bytes).toBe(70);
    table.open([page('c', 4, 20)]);
    expect(table.bytes).toBe(20);
  });
});

describe('room for a page', () => {
  it.each([
    [100, 300, []],
    [101, 300, ['a']],
    [200, 300, ['a']],
    [201, 300, ['a', 'b']],
    [300, 300, ['a', 'b']],
    [301, 300, undefined],
    [0, 100, ['a']],
  ])('P1 for %i bytes of %i goes what is oldest: %j', (need, ceiling, gone) => {
    expect(names(makeRoom([page('a', 1), page('b', 2)], need, ceiling, nobody))).toEqual(gone);
  });

  it('T1 the page of an activity that is wanted stays, and so does one that is only being made', () => {
    const pages = [page('a', 1), page('b', UNMADE), page('c', 3)];
    expect(names(makeRoom(pages, 100, 300, (activity) => activity === 'a'))).toEqual(['c']);
    expect(makeRoom(pages, 300, 300, (activity) => activity === 'a')).toBeUndefined();
    expect(names(makeRoom(pages, 200, 300, (activity) => activity === 'a', pages.slice(0, 1)))).toEqual([
      'c',
      'a',
    ]);
  });

  it('P1 it fits afterwards, and nothing goes in vain', () => {
    const some = fc.array(fc.record({ bytes: fc.nat(50), wanted: fc.boolean() }), { maxLength: 8 });
    fc.assert(
      fc.property(some, fc.nat(100), fc.nat(200), (given, need, ceiling) => {
        const pages = given.map(({ bytes }, i) => page(`${i}`, i + 1, bytes));
        const spared = (activity: string): boolean => given[Number(activity)]?.wanted ?? false;
        const sum = (records: readonly PageRecord[]) => records.reduce((all, { bytes }) => all + bytes, 0);
        const drop = makeRoom(pages, need, ceiling, spared);
        if (drop === undefined) {
          expect(sum(pages.filter(({ activity }) => spared(activity))) + need).toBeGreaterThan(ceiling);
          return;
        }
        expect(sum(pages) - sum(drop) + need).toBeLessThanOrEqual(ceiling);
        expect(drop.some(({ activity }) => spared(activity))).toBe(false);
        const last = drop.at(-1);
        if (last !== undefined) {
          expect(sum(pages) - sum(drop) + last.bytes + need).toBeGreaterThan(ceiling);
        }
      }),
    );
  });
});
