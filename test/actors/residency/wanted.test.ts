/** Genes that come back before a turn asks for them (G6): real ones. */
import { describe, expect, it } from 'vitest';
import type { Relieved } from '../../../src/actors/residency/protocol.js';
import { Band } from '../../../src/runtime/message.js';
import {
  BYTES,
  bring,
  broker,
  engine,
  eventually,
  hears,
  pageIn,
  pageOut,
  pinFor,
  residency,
  start,
  stats,
  thread,
  tiers,
  unpin,
} from './stage.js';

let last = 0;
/** A turn of an activity, from its beginning to its end. */
async function run(activity: string, ...names: string[]): Promise<void> {
  const grant = ++last;
  pinFor({ grant, activity, turn: grant }, ...names);
  expect(await hears()).toMatchObject([{ type: 'pinned', grant }]);
  unpin(grant);
}
async function bringAll(): Promise<void> {
  for (const name of ['a', 'b', 'c'] as const) await bring(name);
}
/** Names of genes that came back unasked, in order. */
const cameBack = () =>
  thread.probes.flatMap(({ name, cause, gene }) =>
    name === 'genome.page' && cause === 'expected' ? [gene] : [],
  );
const poolUse = (usedBytes: number) =>
  broker.tell({ type: 'pool-use', usedBytes, capacityBytes: 100 * BYTES, tiers: ['device', 'host'] });
const relieve = (bytes: number) => {
  const ask = { ask: ++last, bytes, tiers: ['device', 'host'], deadlineMs: 1_000 };
  return thread.ask<Relieved>(residency, { type: 'relieve', ...ask }, Band.control);
};

describe('genes that rooms will want again', () => {
  it('G6 come back when a turn has ended, the warmest first, and no turn waits for them', async () => {
    await start();
    await bringAll();
    for (const _ of [1, 2]) await run('8/main', 'b');
    await run('9/main', 'a');
    await pageOut('a');
    await pageOut('b');
    expect(cameBack()).toEqual([]);
    await run('7/main', 'c');
    await eventually(async () => expect(cameBack()).toEqual(['b', 'a']));
    expect(await tiers()).toEqual({ a: 'device', b: 'device', c: 'device' });
    expect(await stats()).toMatchObject({ pagedIn: 2, pagedInOnDemand: 0 });
  });

  it('G6 but none that a room has run and runs no more, nor one of a mind that has left', async () => {
    await start();
    await bringAll();
    await run('7/main', 'a');
    await run('7/main', 'b');
    await run('8/main', 'b');
    await run('6/main', 'c');
    for (const name of ['a', 'b', 'c']) await pageOut(name);
    broker.tell({ type: 'bare', activity: '7/main' });
    broker.tell({ type: 'left', mind: 6 });
    await bring('a', { as: 'other' });
    await run('5/main', 'other');
    await eventually(async () => expect(cameBack()).toEqual(['b']));
    await pageIn('c');
    expect(cameBack()).toEqual(['b']);
  });

  it('G6 not to a device that would be full of them', async () => {
    await start({ slots: 3 });
    await bringAll();
    await run('7/main', 'a');
    await run('8/main', 'b');
    await pageOut('a');
    await pageOut('b');
    await run('9/main', 'c');
    await eventually(async () => expect(cameBack()).toEqual(['b']));
    await pageIn('a');
    expect(cameBack()).toEqual(['b']);
  });

  it('G6 not while their pool is full, nor after a relief before it has been calm', async () => {
    await start();
    await bringAll();
    await run('7/main', 'a');
    poolUse(79.5 * BYTES);
    expect(await relieve(2 * BYTES)).toMatchObject({ outcome: 'released', bytes: 2 * BYTES });
    expect(await tiers()).toEqual({ a: 'device', b: 'disk', c: 'disk' });
    await run('7/main', 'b');
    await run('7/main', 'b', 'c');
    expect(await relieve(3 * BYTES)).toMatchObject({ outcome: 'released', bytes: 3 * BYTES });
    poolUse(70 * BYTES);
    await run('8/main', 'a');
    await pageOut('a');
    await run('8/main', 'a');
    expect(cameBack()).toEqual([]);
    poolUse(59 * BYTES);
    await run('8/main', 'a');
    await eventually(async () => expect(cameBack()).toEqual(['b', 'c']));
  });

  it('G6 R4 are known to a residency that is started again, which says whose they are', async () => {
    await start();
    await bringAll();
    await run(`${engine.id}/main`, 'a');
    await run('999999/main', 'b');
    await pageOut('a');
    await pageOut('b');
    // No broker says this: it crashes.
    broker.tell({ type: 'pin', grant: 0, activity: '1/a', turn: 0, genes: undefined as never });
    await eventually(async () => {
      await thread.pass(10);
      const activities = [`${engine.id}/main`, '999999/main'];
      expect(await broker.hears()).toContainEqual(expect.objectContaining({ type: 'genes-up', activities }));
    });
    broker.tell({ type: 'left', mind: 999_999 });
    broker.tell({ type: 'all-said' });
    await run('7/main', 'c');
    await eventually(async () => expect(cameBack()).toEqual(['a']));
    await pageIn('b');
    expect(cameBack()).toEqual(['a']);
  });

  it('G6 a turn that is granted again uses its genes once', async () => {
    await start({ slots: 2 });
    await bringAll();
    await run('7/main', 'b');
    await run('7/main', 'b');
    for (const grant of [100, 101]) {
      pinFor({ grant, activity: '8/main', turn: 1 }, 'a');
      await hears();
      unpin(grant);
    }
    await run('9/main', 'c');
    await eventually(async () => expect(await tiers()).toEqual({ a: 'host', b: 'device', c: 'device' }));
  });
});
