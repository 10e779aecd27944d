/**
 * Page files as a state machine: any sequence of spills, readings and removals, of which some fail, are killed or lose the
 * power, against a map of names. After each, the map says what may be on the disk.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TroupeError } from '../../src/errors.js';
import type { Directory } from '../../src/pages/directory.js';
import type { Disk } from '../../src/pages/disk.js';
import { stagingPath } from '../../src/pages/layout.js';
import { list, remove } from '../../src/pages/read.js';
import { recover } from '../../src/pages/recover.js';
import { gist, plainDirectory, plainPage, publishPlain, readPlain } from '../pages/plain-pages.js';
import { faultyDisk, Killed, killedAt, systemError } from './faulty-disk.js';
import { ModelDisk } from './model-disk.js';

const NAMES = ['ada/main', 'Ada/main', 'bob/ä'];
const RUNS = process.env.TROUPE_SOAK ? 5_000 : 100;
const NONE = 'none';

type End =
  | { readonly kind: 'well' }
  | { readonly kind: 'fails' | 'killed'; readonly call: number }
  | { readonly kind: 'dark'; readonly call: number; readonly seed: number };

interface Step {
  readonly name: string;
  /** Undefined: the page is removed. */
  readonly page: { readonly number: number; readonly kv: number; readonly checkpoints: number } | undefined;
  readonly end: End;
  /** Whether the folder is opened anew before the next step. */
  readonly reopened: boolean;
}

const call = fc.nat(60);
const end: fc.Arbitrary<End> = fc.oneof(
  fc.constant<End>({ kind: 'well' }),
  call.map((at): End => ({ kind: 'fails', call: at })),
  call.map((at): End => ({ kind: 'killed', call: at })),
  fc.tuple(call, fc.nat()).map(([at, seed]): End => ({ kind: 'dark', call: at, seed })),
);
const page: fc.Arbitrary<Step['page']> = fc.option(
  fc
    .tuple(fc.nat(999), fc.nat(300), fc.nat(3))
    .map(([number, kv, checkpoints]) => ({ number, kv, checkpoints })),
  { nil: undefined },
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc
    .tuple(fc.constantFrom(...NAMES), page, end, fc.boolean())
    .map(([name, given, how, reopened]): Step => ({ name, page: given, end: how, reopened })),
  { minLength: 1, maxLength: 12 },
);

class World {
  readonly disk = new ModelDisk();
  directory: Directory = plainDirectory(this.disk, '/pages');
  /** What each page may be; one thing, except after an end that was not well. */
  readonly may = new Map(NAMES.map((name) => [name, [NONE]]));

  take({ name, page, end, reopened }: Step): void {
    const after = page === undefined ? NONE : gist(plainPage(page.number, page.kv, page.checkpoints));
    const before = this.may.get(name) as string[];
    const failed = this.attempt(this.failing(end), name, page);
    this.may.set(name, failed === undefined ? [after] : this.afterFailure(failed, before, after));
    if (end.kind === 'dark') this.disk.losePower(chances(end.seed));
    if (reopened || failed instanceof Killed || end.kind === 'dark') {
      this.directory = plainDirectory(this.disk, '/pages');
      expect(recover(this.directory)).toEqual([]);
      expect(this.disk.entries(stagingPath('/pages'))).toEqual([]);
    }
    this.check();
  }

  private failing(end: End): Disk {
    if (end.kind === 'well') return this.disk;
    if (end.kind !== 'fails') return faultyDisk(this.disk, killedAt(end.call));
    return faultyDisk(this.disk, ({ number, operation }) =>
      number === end.call ? systemError('EIO', operation) : 'done',
    );
  }

  private attempt(disk: Disk, name: string, page: Step['page']): unknown {
    const directory = { ...this.directory, disk };
    try {
      if (page === undefined) remove(directory, name);
      else publishPlain(directory, name, plainPage(page.number, page.kv, page.checkpoints));
      return undefined;
    } catch (error) {
      if (error instanceof Killed || error instanceof TroupeError) return error;
      throw error;
    }
  }

  private afterFailure(failed: unknown, before: readonly string[], after: string): string[] {
    if (failed instanceof TroupeError) {
      if (failed.code === 'NoSuchPage') return [NONE];
      if (failed.code === 'PublicationUnfinished') return [after];
      // A removal that failed may have begun; a publication has not.
      if (after !== NONE) return [...before];
    }
    return [...before, after];
  }

  private check(): void {
    for (const name of NAMES) {
      const is = this.now(name);
      expect(this.may.get(name)).toContain(is);
      this.may.set(name, [is]);
    }
    const there = NAMES.filter((name) => this.may.get(name)?.[0] !== NONE).sort();
    const { pages, damaged } = list(this.directory);
    expect(damaged).toEqual([]);
    expect(pages.map(({ name }) => name)).toEqual(there);
  }

  private now(name: string): string {
    try {
      return gist(readPlain(this.directory, name));
    } catch (error) {
      if ((error as TroupeError).code === 'NoSuchPage') return NONE;
      throw error;
    }
  }
}

const chances = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

describe('P6 page files', () => {
  test('P6 are at all times what a map of names would be, whatever fails, is killed or loses the power', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const world = new World();
        for (const step of taken) world.take(step);
      }),
      { numRuns: RUNS },
    );
  }, 900_000);
});
