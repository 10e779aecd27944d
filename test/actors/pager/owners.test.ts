/** Whose the pages on disk are, as the pager knows it. */
import { beforeEach, expect, it } from 'vitest';
import { Owners } from '../../../src/actors/pager/owners.js';
import { AskTimeout, DiskFailure, DiskFull, PublicationUnfinished } from '../../../src/errors.js';

const [EARLIER, MIND] = [3, 4];
let saved: Map<string, unknown>;
let owners: Owners;
const next = (): Owners => {
  const save = (key: string, value: unknown) =>
    value === undefined ? saved.delete(key) : saved.set(key, value);
  return new Owners({ save } as never, saved);
};
beforeEach(() => {
  saved = new Map();
  owners = next();
});

it('R4 are known to the next pager, but those that are gone', () => {
  owners.set('ada/a', MIND);
  owners.set('ada/b', MIND);
  owners.set('ada/b', undefined);
  expect(['ada/a', 'ada/b'].map((name) => next().of(name))).toEqual([MIND, undefined]);
});

it('P6 are of who writes them from the beginning, also where they are removed meanwhile', async () => {
  let end = (_: number): void => {};
  const writing = owners.writing(
    'ada/a',
    MIND,
    new Promise<number>((resolve) => {
      end = resolve;
    }),
  );
  expect(owners.of('ada/a')).toBe(MIND);
  owners.set('ada/a', undefined);
  end(7);
  expect(await writing).toBe(7);
  expect(owners.of('ada/a')).toBe(MIND);
});

it.each([
  ['stays with whose it was', new DiskFull({ path: 'p', needBytes: 2, freeBytes: 1 }), EARLIER],
  ['may be there', new PublicationUnfinished({ name: 'ada/a', path: 'p', reason: 'a test' }), MIND],
  ['may be there', new DiskFailure({ path: 'p', operation: 'writing', reason: 'a test' }), MIND],
  ['may be there', new AskTimeout({ actor: 'pool', message: 'm', waitedMs: 1 }), MIND],
  ['may be there', new TypeError('a test'), MIND],
])('P6 what could not be written %s after %s', async (_, error, owner) => {
  owners.set('ada/a', EARLIER);
  await expect(owners.writing('ada/a', MIND, Promise.reject(error))).rejects.toBe(error);
  expect(owners.of('ada/a')).toBe(owner);
});
