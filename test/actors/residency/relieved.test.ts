/** Genes that leave because memory is short: real ones, and how much really comes free. */
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Relieve, Relieved } from '../../../src/actors/residency/protocol.js';
import { Band } from '../../../src/runtime/message.js';
import {
  BYTES,
  bring,
  eventually,
  hears,
  model,
  pageIn,
  pageOut,
  pathOf,
  pin,
  residency,
  start,
  stats,
  thread,
  tiers,
  unpin,
} from './stage.js';

let asks = 0;
const relieve = (bytes: number, given: Partial<Relieve> = {}) => {
  const ask = { type: 'relieve', ask: ++asks, bytes, tiers: ['device', 'host'], deadlineMs: 1_000, ...given };
  return thread.ask<Relieved>(residency, ask, Band.control);
};
const relieved = (outcome: Relieved['outcome'], bytes: number) => ({
  ...{ type: 'relieved', ask: asks, outcome, bytes },
});
const natively = () => model.genes().map(({ tier }) => tier);

describe('genes that are asked for their memory', () => {
  it('B5 on a machine of one pool the coldest go to disk, no more than are asked for, and come back for a turn', async () => {
    await start();
    await bring('a');
    await bring('b');
    await bring('c');
    await pageOut('b');
    pin(1, 'a');
    await hears();
    unpin(1);
    expect(await relieve(BYTES + 1)).toEqual(relieved('released', 2 * BYTES));
    expect(await tiers()).toEqual({ a: 'device', b: 'disk', c: 'disk' });
    expect(natively()).toEqual(['device', 'disk', 'disk']);
    expect(await stats()).toMatchObject({ deviceBytes: BYTES, hostBytes: 0, dropped: 2 });
    pin(2, 'b', 'c');
    expect(await hears()).toMatchObject([{ type: 'pinned', missed: { genes: 2, bytes: 2 * BYTES } }]);
  });

  it('B5 where the device is a pool of its own they go to the host, and to disk where that is full', async () => {
    await start({ hostBytes: BYTES });
    await bring('a');
    await bring('b');
    const device = { tiers: ['device'] } as const;
    expect(await relieve(1, device)).toEqual(relieved('released', BYTES));
    expect(await tiers()).toEqual({ a: 'host', b: 'device' });
    expect(await relieve(1, device)).toEqual(relieved('released', BYTES));
    expect(Object.values(await tiers()).sort()).toEqual(['disk', 'host']);
    expect(await relieve(BYTES, { tiers: ['host'] })).toEqual(relieved('released', BYTES));
    expect(await tiers()).toEqual({ a: 'disk', b: 'disk' });
  });

  it('B2 B5 none that a turn holds leaves, nor one that is active by default or learning', async () => {
    await start();
    await bring('a', { as: 'always' });
    await bring('b', { learning: true });
    await bring('c');
    pin(1, 'c');
    await hears();
    expect(await relieve(1)).toEqual(relieved('refused', 0));
    unpin(1);
    expect(await relieve(2 * BYTES)).toEqual(relieved('partial', BYTES));
    expect(await tiers()).toEqual({ always: 'device', b: 'device', c: 'disk' });
  });

  it('B5 asked twice for the same bytes they are freed once, and both hear of it', async () => {
    await start();
    await bring('a');
    await bring('b');
    const ask = ++asks;
    const both = await Promise.all([relieve(BYTES, { ask }), relieve(BYTES, { ask })]);
    for (const answer of both) expect(answer).toEqual({ ...relieved('released', BYTES), ask });
    expect(await stats()).toMatchObject({ diskGenes: 1, deviceGenes: 1 });
  });

  it('G5 a gene whose file is gone is not given up, and the next one is', async () => {
    await start();
    await bring('a');
    await bring('b');
    rmSync(pathOf('a'));
    expect(await relieve(2 * BYTES)).toEqual(relieved('partial', BYTES));
    expect(await tiers()).toEqual({ a: 'device', b: 'disk' });
    expect(await stats()).toMatchObject({ dropped: 1, failed: 1 });
  });

  it('G7 what left is told, with why', async () => {
    await start();
    await bring('a');
    await bring('b');
    await pageOut('b');
    rmSync(pathOf('b'));
    await relieve(2 * BYTES);
    await pageIn('a');
    const named = (name: string) => thread.probes.filter((probe) => probe.name === name);
    await eventually(async () => expect(named('genome.page')).toHaveLength(3));
    expect(named('genome.page')).toMatchObject([
      { gene: 'b', from: 'device', to: 'host', cause: 'asked' },
      { gene: 'a', from: 'device', to: 'disk', bytes: BYTES, cause: 'relief', tMs: expect.any(Number) },
      { gene: 'a', from: 'disk', to: 'device', cause: 'asked' },
    ]);
    const error = { code: 'GeneChanged' };
    expect(named('genome.page.failed')).toMatchObject([
      { gene: 'b', from: 'host', to: 'disk', cause: 'relief', error },
    ]);
  });
});
