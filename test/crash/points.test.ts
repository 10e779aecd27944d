import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TroupeError } from '../../src/errors.js';
import type { Directory } from '../../src/pages/directory.js';
import { type Disk, realDisk } from '../../src/pages/disk.js';
import { stagingPath } from '../../src/pages/layout.js';
import { list, remove } from '../../src/pages/read.js';
import { recover } from '../../src/pages/recover.js';
import {
  gist,
  newFolder,
  plainDirectory,
  plainPage,
  publishPlain,
  readPlain,
  thrown,
} from '../pages/plain-pages.js';
import { type Call, faultyDisk, Killed, killedAt, systemError } from './faulty-disk.js';
import { ModelDisk } from './model-disk.js';

const NAME = 'ada/main';
/** Ways in which each loss of power may go. */
const SEEDS = process.env.TROUPE_SOAK ? 100 : 6;
const OLD = plainPage(1, 300, 3);
const NEW = plainPage(2, 200, 1);
const OTHER = plainPage(3, 100, 0);

/** The same folder on another disk, as the next process has it. */
const over = ({ path }: Directory, disk: Disk): Directory => plainDirectory(disk, path);

/** A folder with the old generation of the page, or none, and another page. */
function prepared(disk: Disk, path: string, hasOld: boolean): Directory {
  const directory = plainDirectory(disk, path);
  publishPlain(directory, 'bob/main', OTHER);
  if (hasOld) publishPlain(directory, NAME, OLD);
  return directory;
}

/** What the page is now, in the words of `gist`, or `none`. */
function now(directory: Directory): string {
  try {
    return gist(readPlain(directory, NAME));
  } catch (error) {
    if ((error as TroupeError).code === 'NoSuchPage') return 'none';
    throw error;
  }
}

const chances = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

/** Calls that a piece of work makes. */
function callsOf(directory: Directory, work: (directory: Directory) => unknown): Call[] {
  const disk = faultyDisk(directory.disk, () => 'done');
  work({ ...directory, disk });
  return disk.calls;
}

const works = [
  ['a publication over an old generation', true, gist(NEW), (on: Directory) => publishPlain(on, NAME, NEW)],
  ['a first publication', false, gist(NEW), (on: Directory) => publishPlain(on, NAME, NEW)],
  ['a removal', true, 'none', (on: Directory) => remove(on, NAME)],
] as const;

describe.each(works)('P6 %s', (_, hasOld, after, work) => {
  const was = hasOld ? gist(OLD) : 'none';
  const total = callsOf(prepared(new ModelDisk(), '/pages', hasOld), work).length;

  /** Killed at a call of the work. */
  function killed(number: number): { disk: ModelDisk; directory: Directory } {
    const disk = new ModelDisk();
    const directory = prepared(disk, '/pages', hasOld);
    const dying = { ...directory, disk: faultyDisk(disk, killedAt(number)) };
    expect(thrown(() => work(dying))).toBeInstanceOf(Killed);
    return { disk, directory: over(directory, disk) };
  }

  const isWhole = (directory: Directory): string => {
    const is = now(directory);
    expect([was, after]).toContain(is);
    expect(gist(readPlain(directory, 'bob/main'))).toBe(gist(OTHER));
    expect(directory.disk.entries(stagingPath(directory.path))).toEqual([]);
    return is;
  };

  test('P6 killed at any call, the page is the old generation or the new one, and nothing stays staged', () => {
    const seen = new Set<string>();
    for (let number = 0; number < total; number++) {
      const { directory } = killed(number);
      expect(recover(directory)).toEqual([]);
      seen.add(isWhole(directory));
    }
    expect(seen).toEqual(new Set([was, after]));
  });

  test('P6 killed at any call, and again at any call of the recovery, it is whole', () => {
    for (let number = 0; number < total; number++) {
      for (let second = 0; second < 1_000; second++) {
        const { disk, directory } = killed(number);
        const dying = { ...directory, disk: faultyDisk(disk, killedAt(second)) };
        try {
          recover(dying);
          break;
        } catch (error) {
          expect(error).toBeInstanceOf(Killed);
        }
        recover(over(directory, disk));
        isWhole(over(directory, disk));
      }
    }
  });

  test('P6 without power at any call, it is whole; once it was answered, it is the new one', () => {
    for (let number = 0; number <= total; number++) {
      for (let seed = 0; seed < SEEDS; seed++) {
        const disk = new ModelDisk();
        const directory = prepared(disk, '/pages', hasOld);
        try {
          work({ ...directory, disk: faultyDisk(disk, killedAt(number)) });
        } catch (error) {
          expect(error).toBeInstanceOf(Killed);
        }
        disk.losePower(chances(seed * 1_000 + number));
        const next = over(directory, disk);
        expect(recover(next)).toEqual([]);
        const is = isWhole(next);
        if (number === total) expect(is).toBe(after);
      }
    }
  }, 600_000);

  test.each(['EIO', 'ENOSPC'])(
    'P6 a call that fails with %s is an error that says what became of the page',
    (code) => {
      for (let number = 0; number < total; number++) {
        const disk = new ModelDisk();
        const directory = prepared(disk, '/pages', hasOld);
        const failing = faultyDisk(disk, (call) =>
          call.number === number ? systemError(code, call.operation) : 'done',
        );
        let failed: unknown;
        try {
          work({ ...directory, disk: failing });
        } catch (error) {
          failed = error;
        }
        if (failed === undefined) {
          // Not even the page was touched by what could not be done.
          expect(now(over(directory, disk))).toBe(after);
          continue;
        }
        expect(failed).toBeInstanceOf(TroupeError);
        const { code: said } = failed as TroupeError;
        expect(['DiskFull', 'DiskFailure', 'PublicationUnfinished']).toContain(said);
        if (said === 'PublicationUnfinished') {
          expect(now(over(directory, disk))).toBe(after);
        } else if (after !== 'none') {
          expect(disk.entries(stagingPath(directory.path))).toEqual([]);
          expect(list(over(directory, disk)).pages.length).toBe(hasOld ? 2 : 1);
          expect(now(over(directory, disk))).toBe(was);
        }
        isWhole(over(directory, disk));
      }
    },
  );

  test('P6 two calls that fail, also while it is undone, leave it whole', () => {
    for (let first = 0; first < total; first++) {
      for (let second = first + 1; second < first + 15; second++) {
        const disk = new ModelDisk();
        const directory = prepared(disk, '/pages', hasOld);
        const failing = faultyDisk(disk, ({ number, operation }) =>
          number === first || number === second ? systemError('EIO', operation) : 'done',
        );
        try {
          work({ ...directory, disk: failing });
        } catch (error) {
          expect(error).toBeInstanceOf(TroupeError);
        }
        isWhole(over(directory, disk));
      }
    }
  });
});

describe('P6 on real files', () => {
  test('P6 killed at any call of a publication, the page is the old generation or the new one', () => {
    const total = callsOf(prepared(realDisk, newFolder(), true), (on) => publishPlain(on, NAME, NEW)).length;
    const seen = new Set<string>();
    for (let number = 0; number < total; number++) {
      const directory = prepared(realDisk, newFolder(), true);
      const dying = { ...directory, disk: faultyDisk(realDisk, killedAt(number)) };
      expect(thrown(() => publishPlain(dying, NAME, NEW))).toBeInstanceOf(Killed);
      const next = over(directory, realDisk);
      expect(recover(next)).toEqual([]);
      seen.add(now(next));
      rmSync(directory.path, { recursive: true });
    }
    expect(seen).toEqual(new Set([gist(OLD), gist(NEW)]));
  });
});
