import { describe, expect, it } from 'vitest';
import { describeMemory } from '../../src/cli/memory.js';
import type { MemorySeen, PoolSeen } from '../../src/observer/memory.js';
import { folder, startTroupe } from '../face/stage.js';
import { troupe as command } from './run.js';

const MIB = 2 ** 20;
const pool: PoolSeen = {
  ...{ name: 'host', budgetBytes: 100 * MIB, heldBytes: 75 * MIB, floorBytes: 25 * MIB },
  ...{
    usedBytes: 50 * MIB,
    capacityBytes: 75 * MIB,
    pressure: 2 / 3,
    level: 'warning',
    pendingBytes: 10 * MIB,
  },
  kinds: [
    { kind: 'weights', bytes: 20 * MIB, floorBytes: 20 * MIB },
    { kind: 'context', bytes: 15 * MIB, floorBytes: 5 * MIB },
    { kind: 'pages', bytes: 40 * MIB, floorBytes: 0 },
  ],
};
const seen = (more: Partial<MemorySeen> = {}): MemorySeen => ({
  ...{
    pools: [pool],
    cells: { total: 4096, granted: 1024, idle: 10, saved: 0 },
    alerts: [],
    quarantined: [],
  },
  ...more,
});

describe('U2 troupe memory', { timeout: 120_000 }, () => {
  it('U2 draws a bar for each pool, with what stays, what can move and what was asked back', () => {
    expect(describeMemory(seen())).toEqual([
      'host  [##########================----..........]  75.0 MiB of 100.0 MiB: warning, 67 % of what can move, 10.0 MiB asked back',
      '  weights  20.0 MiB  stays',
      '  context  15.0 MiB  5.0 MiB of it stay',
      '  pages    40.0 MiB',
      '',
      '# stays  = can move  - asked back  . free',
      'cells  1,024 of 4,096 cells granted, 10 held by idle lanes',
    ]);
  });

  it('U2 says how many cells sharing saves', () => {
    const cells = { total: 4096, granted: 1024, idle: 10, saved: 2000 };
    expect(describeMemory(seen({ cells })).at(-1)).toBe(
      'cells  1,024 of 4,096 cells granted, 10 held by idle lanes, 2,000 saved by sharing',
    );
  });

  it('U2 says that the context was made smaller', () => {
    const cells = { total: 1024, granted: 0, idle: 0, saved: 0, asked: 4096 };
    expect(describeMemory(seen({ cells })).at(-1)).toBe(
      'memory was short, and the context was made smaller: 1,024 of the 4,096 cells asked for',
    );
  });

  it('U2 shows alerts, who is asked no more, and a pool that is not managed', () => {
    const unmanaged = { ...pool, budgetBytes: 0, capacityBytes: 0, pressure: 0, pendingBytes: 0 };
    const alerts = [{ atMs: 1, says: 'host is high' }];
    const lines = describeMemory(seen({ pools: [unmanaged], alerts, quarantined: ['genes'] }));
    expect(lines[0]).toBe('host  [#############===========================]  75.0 MiB of 0 B: not managed');
    expect(lines.slice(-3)).toEqual([
      'genes threw too often, and are asked for memory no more',
      '',
      'host is high',
    ]);
  });

  it('U2 shows the budget of a running troupe', async () => {
    using place = folder();
    const troupe = await startTroupe({ dir: place.path, memory: { host: 2 ** 30, disk: 2 ** 20 } });
    const { code, out } = await command(['memory', '--dir', place.path]);
    await troupe.stop();
    expect(code).toBe(0);
    expect(out).toMatch(/^host {2}\[\.{40}\] {2}[\d.]+ MiB of 1\.0 GiB: normal, \d+ % of what can move\n/);
    expect(out).toMatch(/^ {2}weights +[\d.]+ KiB +stays$/m);
    expect(out).toMatch(/^ {2}context +[\d.]+ [KM]iB +[\d.]+ [KM]iB of it stay$/m);
    expect(out).toMatch(/^disk {2}\[\.{40}\] {2}0 B of 1\.0 MiB: normal, 0 % of what can move$/m);
    expect(out).toMatch(/^cells {2}0 of 2,048 cells granted, 0 held by idle lanes$/m);
  });
});
