/** The store of pages as a machine of states: who holds what, what is charged, and when memory goes back. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { BadArgument, NoSuchPage, OverCeiling } from '../../src/errors.js';
import { SectionKind } from '../../src/native/pages.js';
import { addon, thrown } from './fixtures.js';

const { pages } = addon;
const MIB = 2 ** 20;
const GRAIN = 4096;
/** What the store keeps ready for the next pages. */
const KEPT = 256 * MIB;

const create = (bytes: number): number =>
  pages.create({ fingerprint: 'of no context', cells: 1, sections: [{ kind: SectionKind.kv, bytes }] });
const releaseAll = (id: number): void => {
  while (pages.info(id)) pages.release(id);
};

afterEach(() => {
  pages.setCeiling(Number.POSITIVE_INFINITY);
  for (const id of pages.list()) releaseAll(id);
});

interface Held {
  readonly bytes: number;
  retained: number;
  own: boolean;
}

/** What the store must be. */
class Expected {
  readonly pages = new Map<number, Held>();
  ceiling = Number.POSITIVE_INFINITY;
  readonly seen = new Set<number>();

  get charged(): number {
    return [...this.pages.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

type Step =
  | { type: 'create'; bytes: number }
  | { type: 'retain' | 'release'; which: number }
  | { type: 'ceiling'; bytes: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('create' as const), bytes: fc.nat(3 * MIB) }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constantFrom('retain' as const, 'release' as const), which: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('ceiling' as const), bytes: fc.nat(12 * MIB) }) },
);

function take(step: Step, expected: Expected): void {
  if (step.type === 'ceiling') {
    expected.ceiling = step.bytes;
    return pages.setCeiling(step.bytes);
  }
  if (step.type === 'create') return make(step.bytes, expected);
  const id = [...expected.pages.keys()][step.which] ?? 2 ** 40 + step.which;
  const held = expected.pages.get(id);
  if (!held) return void expect(thrown(() => pages[step.type](id))).toBeInstanceOf(NoSuchPage);
  if (step.type === 'retain') held.retained++;
  else if (held.retained > 0) held.retained--;
  else held.own = false;
  pages[step.type](id);
  if (!held.own && held.retained === 0) expected.pages.delete(id);
}

function make(bytes: number, expected: Expected): void {
  const needBytes = Math.max(GRAIN, Math.ceil(bytes / GRAIN) * GRAIN);
  const { charged, ceiling } = expected;
  if (charged + needBytes > ceiling) {
    const error = thrown(() => create(bytes));
    expect(error).toBeInstanceOf(OverCeiling);
    expect(error.detail).toEqual({ needBytes, usedBytes: charged, ceilingBytes: ceiling });
    return;
  }
  const id = create(bytes);
  expect(expected.seen).not.toContain(id);
  expected.seen.add(id);
  expected.pages.set(id, { bytes: needBytes, retained: 0, own: true });
}

function check(expected: Expected): void {
  const { charged, ceiling } = expected;
  expect(pages.list()).toEqual([...expected.pages.keys()]);
  expect(pages.usage()).toMatchObject({ bytes: charged, ceiling, count: expected.pages.size });
  for (const [id, { bytes, retained, own }] of expected.pages) {
    expect(pages.info(id)).toMatchObject({
      bytes,
      references: retained + Number(own),
      kept: own,
      sealed: false,
    });
  }
}

describe('P4 the store of pages', () => {
  it('P4 charges what it admits, until the last owner lets go, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 40 }), (all) => {
        for (const id of pages.list()) releaseAll(id);
        const expected = new Expected();
        pages.setCeiling(expected.ceiling);
        for (const step of all) {
          take(step, expected);
          check(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('P4 refuses to let go what this thread does not hold and the store has let go', async () => {
    const id = create(100);
    const worker = new Worker(
      `const { workerData, parentPort } = require('node:worker_threads');
       import(workerData.loader).then(({ loadAddon }) => {
         loadAddon().pages.retain(workerData.id);
         parentPort.postMessage('held');
         setInterval(() => {}, 1000);
       });`,
      {
        eval: true,
        workerData: { id, loader: new URL('../../dist/native/load.js', import.meta.url).href },
      },
    );
    await once(worker, 'message');
    pages.release(id);
    expect(pages.info(id)).toMatchObject({ references: 1, kept: false });
    expect(thrown(() => pages.release(id))).toBeInstanceOf(BadArgument);
    expect(pages.usage().count).toBe(1);
    await worker.terminate();
    expect(pages.info(id)).toBeUndefined();
    expect(pages.usage()).toMatchObject({ bytes: 0, count: 0 });
  });

  it('P4 gives memory back beyond what it keeps, and all of it when asked', () => {
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 20; round++) {
      const ids = Array.from({ length: 40 }, () => create(10 * MIB));
      expect(pages.usage().bytes).toBe(400 * MIB);
      for (const id of ids) pages.release(id);
      expect(pages.usage().bytes).toBe(0);
      expect(pages.usage().free).toBeLessThanOrEqual(KEPT);
    }
    const { free } = pages.usage();
    expect(free).toBeGreaterThan(0);
    expect(pages.trim()).toBe(free);
    expect(pages.usage().free).toBe(0);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  });

  it('P1 has no place for bytes that no memory could hold', () => {
    expect(thrown(() => create(1e15))).toBeInstanceOf(BadArgument);
    expect(thrown(() => create(2e11)).code).toMatch(/^(NativeFailure|OverCeiling)$/);
    expect(pages.usage()).toMatchObject({ bytes: 0, count: 0 });
  });
});
