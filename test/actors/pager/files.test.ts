/** What the pager says of files and of what jobs hold in memory; the jobs are told what to say. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Holds } from '../../../src/actors/broker/leases.js';
import { pagerOver } from '../../../src/actors/pager/pager.js';
import { DiskFailure, NoSuchPage } from '../../../src/errors.js';
import type { PagesJob } from '../../../src/pages/job.js';
import { Party, settled, TestThread } from '../thread.js';

const FILE = { name: 'ada/main', generation: 1, time: 0, fingerprint: '', cells: 10, bytes: 100 };
const FAILURE = new DiskFailure({ path: '/pages', operation: 'removing', reason: 'input/output error' });
const WHAT = { activity: '1/main', mind: 1, name: 'ada/main', deadlineMs: 1_000 };

let thread: TestThread;
let pager: number;
let broker: Party<never, Holds>;
let engine: Party<never, { readonly type: string }>;
/** What is on disk; jobs on pages fail. */
let pages = [FILE];
/** Which jobs go on until `release` is called; there is no page then. */
let hangs: PagesJob['what'] | undefined;
let release: () => void;
let over: Promise<void>;

async function run(job: PagesJob): Promise<never> {
  if (job.what === hangs) {
    pages = [];
    await over;
  }
  if (job.what === 'open') return { owned: { path: '/pages', lock: 1 }, damaged: [] } as never;
  if (job.what === 'list') return { pages, damaged: [] } as never;
  if (job.what === 'restore' && pages.length === 0) throw new NoSuchPage({ name: job.name });
  if (job.what === 'restore')
    return { ...FILE, page: 7, charged: 100, transcript: new Uint8Array() } as never;
  pages = [];
  throw FAILURE;
}

/** Bytes that are leased on disk, as the broker has last heard. */
async function leasedBytes(): Promise<number | undefined> {
  const said = (await broker.hears()).filter(({ type }) => type === 'holds');
  return said.at(-1)?.leases.reduce((sum, { bytes }) => sum + bytes, 0);
}

beforeEach(async () => {
  pages = [FILE];
  hangs = undefined;
  over = new Promise((resolve) => {
    release = resolve;
  });
  thread = await TestThread.start();
  broker = await Party.enter(thread, 'broker', () => pager);
  engine = await Party.enter(thread, 'engine', () => pager);
  const args = { ...{ broker: broker.id, engine: engine.id, residency: 0, dir: '/pages' } };
  const definition = pagerOver(() => ({ run, runWith: run, close: async () => {} }));
  const all = { ...args, diskBytes: 1_000, fingerprint: '' };
  pager = await thread.spawn(definition as never, 'pager', all);
});

afterEach(() => vi.restoreAllMocks());

it('B1 a page that could not be removed is counted as it is then', async () => {
  await thread.ask(pager, { type: 'files', deadlineMs: 60_000 });
  await thread.pass(100);
  expect(await leasedBytes()).toBe(100);
  await expect(
    thread.ask(pager, { type: 'remove-file', name: 'ada/main', deadlineMs: 60_000 }),
  ).rejects.toMatchObject({
    code: 'DiskFailure',
  });
  await thread.pass(100);
  expect(await leasedBytes()).toBe(0);
});

it('P5 a page that is gone although its removal failed is told of as removed', async () => {
  await expect(
    thread.ask(pager, { type: 'remove-file', name: 'ada/main', deadlineMs: 60_000 }),
  ).rejects.toMatchObject({
    code: 'DiskFailure',
  });
  await settled();
  const words = (await broker.hears()).filter(({ type }) => (type as string) === 'disk');
  expect(words).toEqual([{ type: 'disk', word: { type: 'removed', name: 'ada/main' } }]);
});

it.each(['open', 'restore'] as const)(
  'R5 what waits for the disk ends at its deadline while a job goes on: %s',
  async (what) => {
    hangs = what;
    const restore = { type: 'restore', room: 'main', genes: [], ...WHAT };
    const first = thread.ask(pager, { ...restore, deadlineMs: 60_000 });
    const second = thread.ask(pager, restore);
    const late = expect(second).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    await settled();
    await thread.pass(WHAT.deadlineMs);
    await late;
    release();
    await expect(first).rejects.toMatchObject({ code: 'NoSuchPage' });
  },
);

it('B1 the engine, which tells of pages in memory, hears when a job has let go of one', async () => {
  pages = [];
  const restore = { type: 'restore', room: 'main', genes: [], ...WHAT };
  await expect(thread.ask(pager, restore)).rejects.toMatchObject({ code: 'NoSuchPage' });
  await settled();
  expect(await engine.hears()).toEqual([{ type: 'leases-changed' }]);
});
