/** Pools and pressure: leases and budgets in, figures out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, LEASE_KINDS, type Lease, type LeaseKind } from '../../../src/actors/broker/leases.js';
import { levelOf, type Pool, poolsOf, pressed, wantedBytes } from '../../../src/actors/broker/pools.js';
import type { Tier } from '../../../src/native/addon.js';

const lease = (kind: LeaseKind, tier: Tier, bytes: number, floorBytes = 0): Lease => ({
  ...{ owner: kind, kind, tier, bytes, floorBytes },
});
const find = (pools: readonly Pool[], name: string): Pool => pools.find((pool) => pool.name === name) as Pool;
const budgets = { device: undefined, host: 1_000, disk: 500 };

describe('pools', () => {
  it('B1 device and host are one pool where the device computes in host memory', () => {
    const leases = [lease('genes', 'device', 100), lease('pages', 'host', 50), lease('pages', 'disk', 30)];
    const pools = poolsOf(leases, budgets, true);
    expect(pools.map(({ name, heldBytes }) => [name, heldBytes])).toEqual([
      ['host', 150],
      ['disk', 30],
    ]);
    expect(find(pools, 'host').tiers).toEqual(['device', 'host']);
  });

  it('B1 the smaller of two budgets holds for one pool', () => {
    for (const [device, budgetBytes] of [
      [undefined, 1_000],
      [400, 400],
      [4_000, 1_000],
    ] as const) {
      expect(find(poolsOf([], { ...budgets, device }, true), 'host').budgetBytes).toBe(budgetBytes);
    }
  });

  it('B1 a device with memory of its own has a pool of its own', () => {
    const leases = [lease('weights', 'device', 700, 700), lease('pages', 'host', 50)];
    const pools = poolsOf(leases, { ...budgets, device: 800 }, false);
    expect(pools.map(({ name, heldBytes }) => [name, heldBytes])).toEqual([
      ['device', 700],
      ['host', 50],
      ['disk', 0],
    ]);
  });

  it('B3 what stays whatever the pressure counts neither as used nor as room', () => {
    const leases = [
      lease('weights', 'host', 600, 600),
      lease('context', 'host', 200, 50),
      lease('pages', 'host', 70),
    ];
    const { usedBytes, capacityBytes, pressure } = find(poolsOf(leases, budgets, true), 'host');
    expect([usedBytes, capacityBytes]).toEqual([220, 350]);
    expect(pressure).toBeCloseTo(220 / 350);
  });

  it.each([
    ['no budget is known', [lease('pages', 'device', 10)], undefined],
    ['nothing can be moved', [lease('weights', 'device', 90, 90)], 80],
  ])('B3 a pool is not managed where %s', (_, leases, device) => {
    const pool = find(poolsOf(leases, { ...budgets, device }, false), 'device');
    expect(pool).toMatchObject({ capacityBytes: 0, pressure: 0, level: 'normal' });
    expect(pressed([pool])).toEqual([]);
  });

  it('B1 every byte is in one pool, once', () => {
    const leases = fc.array(
      fc.record({
        owner: fc.constant('any'),
        kind: fc.constantFrom(...LEASE_KINDS),
        tier: fc.constantFrom<Tier>('device', 'host', 'disk'),
        bytes: fc.nat(10_000),
        floorBytes: fc.constant(0),
      }),
    );
    fc.assert(
      fc.property(leases, fc.boolean(), (all, onePool) => {
        const held = poolsOf(all, budgets, onePool).reduce((sum, pool) => sum + pool.heldBytes, 0);
        expect(held).toBe(bytesOf(all));
      }),
    );
  });
});

describe('pressure', () => {
  it.each([
    [0, 'normal'],
    [0.599, 'normal'],
    [0.6, 'warning'],
    [0.799, 'warning'],
    [0.8, 'high'],
    [0.949, 'high'],
    [0.95, 'critical'],
    [2, 'critical'],
  ])('B3 of %f is %s', (pressure, level) => expect(levelOf(pressure)).toBe(level));

  const pool = (name: string, pressure: number): Pool =>
    ({ name, pressure, level: levelOf(pressure), usedBytes: pressure * 100, capacityBytes: 100 }) as Pool;
  const names = (...pools: Pool[]): string[] => pressed(pools).map(({ name }) => name);

  it.each([
    ['none below high', [pool('host', 0.79), pool('device', 0.2)], []],
    ['the worst alone at high', [pool('host', 0.85), pool('device', 0.9), pool('disk', 0.1)], ['device']],
    [
      'all from high on at critical, the worst first',
      [pool('host', 0.85), pool('device', 0.96), pool('disk', 0.79)],
      ['device', 'host'],
    ],
  ])('B3 relieves %s', (_, pools, expected) => expect(names(...pools)).toEqual(expected));

  it.each([
    [0.81, 21],
    [0.65, 10],
    [0.95, 35],
    [1.5, 90],
  ])('B3 at %f a relief wants %i of a hundred bytes', (pressure, wanted) => {
    expect(wantedBytes(pool('host', pressure))).toBe(wanted);
  });

  it('B3 what a relief wants leaves a pool calm, and is never less than a tenth of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e12 }),
        fc.double({ min: 0, max: 4, noNaN: true }),
        (capacityBytes, pressure) => {
          const used = Math.round(capacityBytes * pressure);
          const wanted = wantedBytes({ usedBytes: used, capacityBytes } as Pool);
          expect(wanted).toBeGreaterThanOrEqual(capacityBytes / 10);
          expect((used - wanted) / capacityBytes).toBeLessThanOrEqual(0.6);
        },
      ),
    );
  });
});
