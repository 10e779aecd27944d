/** What genes hold of memory, as the ledger is told (B1, B2, G3). */
import { describe, expect, it } from 'vitest';
import type { Holds } from '../../../src/actors/broker/leases.js';
import { leasesOf } from '../../../src/actors/residency/leases.js';
import type { Tier } from '../../../src/native/addon.js';
import type { GeneForm } from '../../native/fixtures.js';
import { BYTES, bring, broker, hears, pageOut, pin, start, thread, unpin } from './stage.js';

const gene = (tier: Tier, movingTo?: Tier) => ({ id: 1, bytes: 10, tier, movingTo });
const NAMES = new Map([['a', 1]]);

describe('leases of a gene', () => {
  it.each<[string, Tier[], ReturnType<typeof gene>]>([
    ['one where it is', ['device'], gene('device')],
    ['none of one that is in its file alone', [], gene('disk')],
    ['two while it moves between two tiers in memory', ['device', 'host'], gene('device', 'host')],
    ['two the other way too', ['host', 'device'], gene('host', 'device')],
    ['one while it is dropped', ['host'], gene('host', 'disk')],
    ['one while it is read', ['device'], gene('disk', 'device')],
  ])('B1 G3 %s', (_, expected, given) => {
    const leases = leasesOf([given], NAMES, new Set());
    expect(leases.map(({ tier }) => tier)).toEqual(expected);
    for (const lease of leases) expect(lease).toMatchObject({ owner: 'a', bytes: 10, floorBytes: 0 });
  });

  it('B2 all of one that may not leave is its floor', () => {
    expect(leasesOf([gene('device')], NAMES, new Set([1]))).toMatchObject([{ bytes: 10, floorBytes: 10 }]);
  });
});

describe('the residency', () => {
  const holds = async () => {
    await thread.pass(50);
    return (await broker.hears()).filter((said): said is Holds => said.type === 'holds');
  };
  const lease = (tier: Tier, floorBytes: number) => ({
    owner: 'a',
    kind: 'genes',
    tier,
    bytes: BYTES,
    floorBytes,
  });

  it.each<[GeneForm, string, unknown[]]>([
    ['place', 'one copy of one that moves in place', []],
    ['stacks', 'both copies before one is made', [{ leases: [lease('device', 0), lease('host', 0)] }]],
  ])('B1 G3 by %s tells the ledger of a gene, who may not lose it, and %s', async (form, _, meanwhile) => {
    await start({}, form);
    await bring('a');
    expect(await holds()).toMatchObject([{ holder: 'residency', leases: [lease('device', 0)] }]);
    pin(1, 'a');
    await hears();
    expect(await holds()).toMatchObject([{ leases: [lease('device', BYTES)] }]);
    unpin(1);
    expect(await holds()).toMatchObject([{ leases: [lease('device', 0)] }]);
    await pageOut('a');
    expect(await holds()).toMatchObject([...meanwhile, { leases: [lease('host', 0)] }]);
    expect(await holds()).toEqual([]);
  });

  it('B1 tells it again to a broker that was started again', async () => {
    await start();
    await bring('a');
    await holds();
    broker.tell({ type: 'leases-again' });
    expect(await holds()).toMatchObject([{ leases: [lease('device', 0)] }]);
  });
});
