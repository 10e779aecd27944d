import { describe, expect, test, vi } from 'vitest';
import { Allowance, type Probe, Probes } from '../../src/runtime/probes.js';

describe('probes', () => {
  test('reach those who listen, until they no longer do', () => {
    const probes = new Probes();
    const heard: Probe[] = [];
    const off = probes.on((probe) => heard.push(probe));
    probes.emit({ name: 'a', x: 1 });
    off();
    probes.emit({ name: 'b' });
    expect(heard).toEqual([{ name: 'a', x: 1 }]);
  });

  test('are no place for a listener to break what they tell of: what it throws is thrown by itself', () => {
    const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => {});
    const probes = new Probes();
    probes.on(() => {
      throw new Error('listening');
    });
    probes.emit({ name: 'a' });
    expect(later.mock.calls[0]?.[0]).toThrow('listening');
    later.mockRestore();
  });

  test('that recur are sent once a second for each subject, and count those left out', () => {
    const probes = new Probes();
    const heard: Probe[] = [];
    probes.on((probe) => heard.push(probe));
    for (let ms = 0; ms <= 1_000; ms += 100) probes.emitLimited({ name: 'a', ms }, 1, ms);
    probes.emitLimited({ name: 'a', ms: 50 }, 2, 50);
    expect(heard).toEqual([
      { name: 'a', ms: 0, unsent: 0 },
      { name: 'a', ms: 1_000, unsent: 9 },
      { name: 'a', ms: 50, unsent: 0 },
    ]);
  });

  test('an allowance gives so many a second, and tells in the next how many it refused', () => {
    const allowance = new Allowance(3);
    const taken = [0, 1, 2, 3, 999].map((ms) => allowance.take(ms));
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
    expect(allowance.take(1_000)).toEqual({ allowed: true, refusedBefore: 2 });
    expect(allowance.take(2_000)).toEqual({ allowed: true, refusedBefore: 0 });
  });
});
