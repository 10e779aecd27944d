/** Which pages go for memory, how each of them goes, and what is answered, when. */
import { beforeEach, describe, expect, it } from 'vitest';
import { givenOf, PageGiver } from '../../../src/actors/broker/page-giver.js';
import type { Given } from '../../../src/actors/broker/relief.js';
import type { Written } from '../../../src/actors/broker/writings.js';
import type { PageRecord } from '../../../src/actors/engine/protocol.js';
import { settled } from '../thread.js';

const page = (number: number, bytes = 100): PageRecord => ({
  ...{ activity: `${number}/main`, page: number, held: 10, bytes },
});

/** What is told by hand: which pages are wanted or on disk, what the pager says of those it writes. */
const given = {
  pages: [] as PageRecord[],
  wanted: new Set<string>(),
  filed: new Set<number>(),
  pager: 7 as number | undefined,
  ordered: [] as number[][],
  dropped: [] as number[][],
  writing: new Map<number, { record: PageRecord; over: (written: Written) => void }>(),
};
let giver: PageGiver;
beforeEach(() => {
  Object.assign(given, {
    ...{ pages: [page(1), page(2), page(3), page(4)], wanted: new Set(), filed: new Set(), pager: 7 },
    ...{ ordered: [], dropped: [], writing: new Map() },
  });
  giver = new PageGiver({
    ...{ ctx: { after: () => () => {} }, deadlineMs: 2_000, isIn: () => true },
    pages: () => given.pages,
    isWanted: (activity) => given.wanted.has(activity),
    isFiled: (record) => given.filed.has(record.page),
    pager: () => given.pager,
    writings: {
      get bytes() {
        return [...given.writing.values()].reduce((sum, { record }) => sum + record.bytes, 0);
      },
      giveUpLate: () => {},
      has: (record) => given.writing.has(record.page),
      write(records) {
        given.ordered.push(records.map((record) => record.page));
        return records.map(
          (record) => new Promise((over) => given.writing.set(record.page, { record, over })),
        );
      },
    },
    drop: async (records) => {
      given.dropped.push(records.map((record) => record.page));
      given.pages = given.pages.filter((record) => !records.includes(record));
      return records.reduce((sum, { bytes }) => sum + bytes, 0);
    },
  });
});
const says = async (number: number, written: Written): Promise<void> => {
  given.writing.get(number)?.over(written);
  given.writing.delete(number);
  await settled(2);
};
/** The answer, as soon as there is one. */
function asked(bytes: number): { answer: Given | undefined } {
  const asking: { answer: Given | undefined } = { answer: undefined };
  void giver.ask(bytes).then((answer) => {
    asking.answer = answer;
  });
  return asking;
}

describe('pages that go for memory', () => {
  it('B4 are the oldest, written before they are dropped', async () => {
    const asking = asked(150);
    expect(given.ordered).toEqual([[1, 2]]);
    expect(given.dropped).toEqual([]);
    await says(1, 'there');
    expect(given.dropped).toEqual([[1]]);
    expect(asking.answer).toBeUndefined();
    await says(2, 'there');
    expect(asking.answer).toEqual({ outcome: 'released', bytes: 200 });
  });

  it('B4 go at once where they are on disk as they are', async () => {
    given.filed = new Set([1, 3]);
    const asking = asked(300);
    expect([given.ordered, given.dropped]).toEqual([[[2]], [[1, 3]]]);
    await says(2, 'there');
    expect(asking.answer).toEqual({ outcome: 'released', bytes: 300 });
  });

  it('B4 are dropped where disk cannot take them', async () => {
    const asking = asked(100);
    await says(1, 'refused');
    expect(given.dropped).toEqual([[1]]);
    expect(asking.answer).toEqual({ outcome: 'released', bytes: 100 });
  });

  it('B4 are dropped where nobody writes any', async () => {
    given.pager = undefined;
    expect(await giver.ask(150)).toEqual({ outcome: 'released', bytes: 200 });
    expect([given.ordered, given.dropped]).toEqual([[], [[1, 2]]]);
  });

  it('B4 are none of rooms that a turn waits for or runs in, nor one that was needed meanwhile', async () => {
    given.wanted = new Set(['1/main', '3/main']);
    const asking = asked(400);
    expect(given.ordered).toEqual([[2, 4]]);
    await says(2, 'gone');
    await says(4, 'there');
    expect(given.dropped).toEqual([[4]]);
    expect(asking.answer).toEqual({ outcome: 'partial', bytes: 100 });
  });

  it('B5 are answered for at the deadline, and those still being written are asked for by nobody again', async () => {
    const first = asked(250);
    await says(1, 'there');
    giver.late();
    await settled(2);
    expect(first.answer).toEqual({ outcome: 'deferred', bytes: 100, pendingBytes: 150 });
    const second = asked(150);
    giver.late();
    await settled(2);
    expect(second.answer).toEqual({ outcome: 'deferred', bytes: 0, pendingBytes: 150 });
    expect(given.ordered).toEqual([[1, 2, 3]]);
    const third = asked(300);
    expect(given.ordered).toEqual([[1, 2, 3], [4]]);
    for (const number of [2, 3, 4]) await says(number, 'there');
    expect(given.dropped).toEqual([[1], [2], [3], [4]]);
    expect(third.answer).toEqual({ outcome: 'released', bytes: 300 });
  });

  it('B5 are refused where there are none', async () => {
    given.pages = [];
    expect(await giver.ask(100)).toEqual({ outcome: 'refused', bytes: 0 });
  });
});

describe('the answer', () => {
  it.each([
    [100, 100, 0, { outcome: 'released', bytes: 100 }],
    [100, 130, 50, { outcome: 'released', bytes: 130 }],
    [100, 30, 0, { outcome: 'partial', bytes: 30 }],
    [100, 30, 50, { outcome: 'deferred', bytes: 30, pendingBytes: 50 }],
    [100, 30, 90, { outcome: 'deferred', bytes: 30, pendingBytes: 70 }],
    [100, 0, 90, { outcome: 'deferred', bytes: 0, pendingBytes: 90 }],
    [100, 0, 0, { outcome: 'refused', bytes: 0 }],
  ])('B5 to who wants %i, with %i free and %i coming', (wanted, freed, coming, answer) => {
    expect(givenOf(wanted, freed, coming)).toEqual(answer);
  });
});
