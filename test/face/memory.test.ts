/** The memory budget of a real troupe: what is in the ledger, and what happens under pressure. */
import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryReport, PoolReport, Troupe, TroupeOptions } from '../../src/index.js';
import { SectionKind } from '../../src/native/pages.js';
import { Band } from '../../src/runtime/message.js';
import { addon } from '../native/fixtures.js';
import { actorOf, folder, geneFile, greedy, probesOf, startTroupe, systemOf, until } from './stage.js';

const KJV = geneFile('kjv');
const MIB = 2 ** 20;

let troupe: Troupe;
afterEach(async () => {
  await troupe.stop();
});
const start = async (options: TroupeOptions = {}): Promise<void> => {
  troupe = await startTroupe(options);
};
/** Messages that these cannot handle. */
const CRASHING = {
  broker: { type: 'request', ticket: 0, activity: 'x', class: 'realtime', cells: 1n, genes: [] },
  pager: { type: 'put-away', pages: null, deadlineMs: 1 },
};
const bytesOf = (report: MemoryReport, kind: string): number =>
  report.leases.filter((lease) => lease.kind === kind).reduce((sum, { bytes }) => sum + bytes, 0);
const host = ({ pools }: MemoryReport): PoolReport => pools[0] as PoolReport;
/** What is said of changes comes within moments. */
async function eventually(holds: (report: MemoryReport) => boolean): Promise<MemoryReport> {
  for (;;) {
    const report = await troupe.memory();
    if (holds(report)) return report;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('the ledger of a troupe', () => {
  it('B1 has weights, context and buffers as the native side measures them, in one pool', async () => {
    await start({ lanes: 2 });
    const report = await troupe.memory();
    expect(report.pools.map(({ name }) => name)).toEqual(['host', 'disk']);
    for (const kind of ['weights', 'context', 'compute', 'output'])
      expect(bytesOf(report, kind)).toBeGreaterThan(0);
    const [pool] = report.pools;
    expect(pool?.heldBytes).toBe(report.leases.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(report.cells).toEqual({ total: 1024, granted: 0, idle: 0, saved: 0 });
  });

  it('B1 has each page by its room, and what the store keeps ready; it ends where it began', async () => {
    await start({ lanes: 1 });
    const before = host(await troupe.memory()).heldBytes;
    const ada = await troupe.mind('ada');
    await ada.turn('Tell me.', { maxTokens: 8, sampling: greedy }).result;
    await ada.pageOut();
    const { bytes, free } = addon.pages.usage();
    const report = await eventually((now) => bytesOf(now, 'pages') > 0);
    expect(report.leases.filter(({ kind }) => kind === 'pages')).toMatchObject([
      { owner: 'ada/main', bytes },
    ]);
    expect(bytesOf(report, 'arena')).toBe(free);
    await troupe.pages.drop('ada');
    addon.pages.trim();
    await eventually((now) => host(now).heldBytes - bytesOf(now, 'arena') === before);
  });

  it('B1 bytes and cells are apart: a smaller context frees bytes, a lane that is free does not', async () => {
    await start({ lanes: 4, context: 256 });
    const before = await troupe.memory();
    await troupe.relaunch({ lanes: 1, context: 256 });
    const after = await troupe.memory();
    expect(bytesOf(after, 'context')).toBe(bytesOf(before, 'context') / 4);
    expect(after.cells.total).toBe(256);
  });

  it('B1 has each gene once, where it is', async () => {
    await start({ lanes: 1 });
    const { bytes } = await troupe.genes.load(KJV, { name: 'kjv' });
    const genes = (report: MemoryReport) => report.leases.filter(({ kind }) => kind === 'genes');
    const [loaded] = genes(await eventually((now) => genes(now).length > 0));
    expect(loaded).toMatchObject({ owner: 'kjv', tier: 'device', bytes, floorBytes: 0 });
    await troupe.genes.pageOut('kjv');
    const [moved] = genes(await eventually((now) => genes(now)[0]?.tier === 'host'));
    expect(moved?.bytes).toBe(bytes);
    await troupe.genes.unload('kjv');
    await eventually((now) => genes(now).length === 0);
  });

  it('B1 has what pages take on disk, also those that were there before; B2 which is bounded', async () => {
    using place = folder();
    const dir = `${place.path}/pages`;
    const onDisk = (report: MemoryReport) => report.leases.find(({ tier }) => tier === 'disk');
    await start({ lanes: 1, memory: { dir } });
    const ada = await troupe.mind('ada');
    await ada.turn('Tell me.', { maxTokens: 8, sampling: greedy }).result;
    const { bytes } = await ada.spill();
    const report = await eventually((now) => (onDisk(now)?.bytes ?? 0) > 0);
    expect(onDisk(report)).toMatchObject({ owner: dir, kind: 'pages', bytes });
    expect(report.pools[1]).toMatchObject({ name: 'disk', heldBytes: bytes });
    await troupe.stop();
    await start({ lanes: 1, memory: { dir, disk: bytes + 1 } });
    const ben = await troupe.mind('ben');
    await ben.turn('Tell me.', { maxTokens: 8, sampling: greedy }).result;
    await expect(ben.spill()).rejects.toMatchObject({
      code: 'OverDiskBudget',
      detail: { name: 'ben/main', usedBytes: bytes, budgetBytes: bytes + 1 },
    });
    await eventually((now) => onDisk(now)?.bytes === bytes);
  });

  it.each(['pager', 'broker'] as const)(
    'B2 R4 has what pages take on disk also when the %s was started again',
    async (who) => {
      using place = folder();
      await start({ lanes: 1, memory: { dir: `${place.path}/pages` } });
      const ada = await troupe.mind('ada');
      await ada.turn('Tell me.', { maxTokens: 8, sampling: greedy }).result;
      const { bytes } = await ada.spill();
      const onDisk = ({ pools }: MemoryReport) => pools[1]?.heldBytes;
      await eventually((now) => onDisk(now) === bytes);
      const heard: number[] = [];
      using crashes = probesOf(troupe, 'actor.crashed');
      systemOf(troupe).tell(actorOf(troupe, who), CRASHING[who], { band: Band.reserved });
      await until(() => crashes.seen.length > 0, 'the crash');
      await ada.turn('Tell me more.', { maxTokens: 8, sampling: greedy }).result;
      await eventually((now) => {
        heard.push(onDisk(now) ?? 0);
        return heard.length > 10 && heard.at(-1) === bytes;
      });
      if (who === 'pager') expect(new Set(heard)).toEqual(new Set([bytes]));
    },
  );

  it('B2 spills at one time take no more of the disk than they may together', async () => {
    using place = folder();
    // One page and what was said fit; two do not.
    const disk = 12_000;
    await start({ lanes: 4, memory: { dir: `${place.path}/pages`, disk } });
    const minds = await Promise.all(['ada', 'ben', 'cleo', 'dan'].map((name) => troupe.mind(name)));
    for (const mind of minds) await mind.turn('Tell me.', { maxTokens: 8, sampling: greedy }).result;
    const spills = await Promise.allSettled(minds.map((mind) => mind.spill()));
    const refused = spills.flatMap((spill) => (spill.status === 'rejected' ? spill.reason.code : []));
    expect(refused).toEqual(['OverDiskBudget', 'OverDiskBudget', 'OverDiskBudget']);
    const { pages } = await troupe.pages.spilled();
    expect(pages.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(disk);
  });
});

describe('a troupe that is short of memory', () => {
  /** So much as a troupe of the smallest model needs at least; what it cannot let go of is less. */
  const NEEDED = 68 * MIB;

  it('B4 puts pages away, makes its context smaller, and says once what did not come free; turns go on', async () => {
    using place = folder();
    await start({ lanes: 4, memory: { host: NEEDED, pages: 2 ** 30, dir: `${place.path}/pages` } });
    using probes = probesOf(troupe, 'memory.pressure');
    const ada = await troupe.mind('ada');
    const say = async () => (await ada.turn('Tell me.', { maxTokens: 8, sampling: greedy }).result).outcome;
    await say();
    // Pages of others in this process.
    const sections = [{ kind: SectionKind.kv, bytes: 56 * MIB }];
    const ballast = addon.pages.create({ fingerprint: 'none', cells: 1, sections });
    await ada.pageOut();
    await until(() => probes.seen.length > 0, 'an alert');
    expect(probes.seen).toMatchObject([{ pool: 'host', says: expect.stringContaining('came free') }]);
    expect((await troupe.memory()).cells.total).toBe(512);
    while ((await troupe.pages.list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await say()).toMatch(/stop|length/);
    addon.pages.release(ballast);
    addon.pages.trim();
    await ada.pageOut();
    await eventually((report) => host(report).level === 'normal');
    expect(probes.seen).toHaveLength(1);
  });
});
