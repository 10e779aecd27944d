/** Writing where the disk is slow, or says nothing certain of what it has done; the jobs do what the test tells them. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { BrokerToPager, DiskWord, PagerToBroker } from '../../../src/actors/broker/protocol.js';
import { pagerOver } from '../../../src/actors/pager/pager.js';
import { DiskFailure, PublicationUnfinished } from '../../../src/errors.js';
import type { PagesJob } from '../../../src/pages/job.js';
import { AskTimeout } from '../../../src/runtime/errors.js';
import { Party, settled, TestThread } from '../thread.js';

const FILE = { name: 'ada/main', generation: 1, time: 0, fingerprint: '', cells: 10, bytes: 100 };
const WRITES = ['spill', 'spill-lane'];

let thread: TestThread;
let pager: number;
let mind: number;
let broker: Party<BrokerToPager, PagerToBroker>;
let jobs: string[];
/** What the last job that has a deadline was given. */
let deadlineMs: number;
let onDisk: boolean;
/** What each job waits for. */
let during: Partial<Record<PagesJob['what'], () => Promise<void>>>;

async function run(job: PagesJob): Promise<never> {
  jobs.push(job.what);
  if ('deadlineMs' in job) deadlineMs = job.deadlineMs;
  if (WRITES.includes(job.what)) onDisk = true;
  await during[job.what]?.();
  if (job.what === 'open') return { owned: { path: '/pages', lock: 1 }, damaged: [] } as never;
  if (job.what === 'list') return { pages: onDisk ? [FILE] : [], damaged: [] } as never;
  if (job.what === 'remove') onDisk = false;
  return FILE as never;
}
/** A job that goes on until the test ends it. */
function hangs(what: PagesJob['what']): () => void {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  during[what] = () => over;
  return () => end();
}
const words = async (): Promise<DiskWord[]> =>
  (await broker.hears()).flatMap((message) => (message.type === 'disk' ? [message.word] : []));

beforeEach(async () => {
  [jobs, onDisk, during] = [[], false, {}];
  thread = await TestThread.start();
  broker = await Party.enter(thread, 'broker', () => pager);
  const said = { receive: () => {}, control: () => ({ name: 'ada', exchanges: [] }) };
  mind = await thread.spawn({ kind: 'mind', start: () => said }, 'ada');
  await enter(broker.id);
});

/** A pager that asks this actor. */
async function enter(asked: number): Promise<void> {
  const definition = pagerOver(() => ({ run, runWith: run, close: async () => {} }));
  const args = {
    broker: asked,
    engine: asked,
    residency: 0,
    dir: '/pages',
    diskBytes: 1_000,
    fingerprint: '',
  };
  pager = await thread.spawn(definition as never, `pager of ${asked}`, args);
}
const room = () => ({ activity: `${mind}/main`, mind });
async function putAway(): Promise<DiskWord | undefined> {
  const page = { ...room(), page: 7, bytes: 100, isFiled: false };
  broker.tell({ type: 'put-away', pages: [page], deadlineMs: 60_000 });
  await settled(60);
  return (await words()).find(({ type }) => type === 'put-away');
}

describe('a page that is written for want of memory', () => {
  it.each([
    new DiskFailure({ path: 'p', operation: 'syncing', reason: 'a test' }),
    new PublicationUnfinished({ name: 'ada/main', path: 'p', reason: 'a test' }),
    new AskTimeout({ actor: 'the offload pool', message: 'spill', waitedMs: 1 }),
  ])(
    'P6 that may be there although its job failed is taken back, and written the next time: $code',
    async (error) => {
      during.spill = () => Promise.reject(error);
      expect(await putAway()).toMatchObject({ error: { code: error.code } });
      await settled(60);
      expect(jobs).toContain('remove');
      during.spill = async () => {};
      expect(await putAway()).toMatchObject({ error: undefined });
    },
  );

  it('R5 is not written after its deadline, where the folder opens too late', async () => {
    const end = hangs('open');
    const lane = { activity: `${mind}/main`, lane: 0, grant: 1, held: 3 };
    const leaving = { ...room(), bytes: 100, isFiled: false, lane };
    broker.tell({ type: 'put-lane-away', leaving, deadlineMs: 5_000 });
    await settled();
    await thread.pass(5_000);
    expect(await words()).toMatchObject([{ type: 'lane-over', error: { code: 'DeadlineExceeded' } }]);
    end();
    await settled(60);
    expect([jobs.includes('spill-lane'), await words()]).toEqual([false, []]);
  });
});

it('R5 a spill that waits for a slow removal ends at its deadline, and nothing is written then', async () => {
  await putAway();
  const end = hangs('remove');
  broker.tell({ type: 'take-back', name: 'ada/main' });
  await settled();
  const what = { ...room(), name: 'ada/main', deadlineMs: 1_000, drop: false };
  const spill = thread.ask(pager, { type: 'spill', ...what, transcript: new Uint8Array() });
  const late = expect(spill).rejects.toMatchObject({ code: 'DeadlineExceeded' });
  await settled();
  await thread.pass(1_000);
  await late;
  const before = jobs.length;
  end();
  await settled(60);
  expect(jobs.slice(before)).toEqual([]);
});

it('R5 a recall has what is left of its deadline when a slow removal is over', async () => {
  await putAway();
  const end = hangs('remove');
  broker.tell({ type: 'take-back', name: 'ada/main' });
  await settled();
  const what = { ...room(), name: 'ada/main', deadlineMs: 1_000, room: 'main', genes: [] };
  thread.ask(pager, { type: 'restore', ...what }).catch(() => {});
  await thread.pass(900);
  end();
  await settled(60);
  expect([jobs.at(-1), deadlineMs]).toEqual(['restore', 100]);
});

describe('a removal that somebody asks for', () => {
  const remove = (deadlineMs: number) =>
    thread.ask(pager, { type: 'remove-file', name: 'ada/main', deadlineMs });

  it('R5 ends at its deadline, and its file is out of the books when it goes', async () => {
    await putAway();
    const end = hangs('remove');
    const late = expect(remove(1_000)).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    await settled();
    await thread.pass(1_000);
    await late;
    expect(await words()).toEqual([]);
    end();
    await settled(60);
    expect(await words()).toEqual([{ type: 'removed', name: 'ada/main' }]);
  });

  it('R5 that has not begun by its deadline never does', async () => {
    const end = hangs('open');
    const late = expect(remove(1_000)).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    await settled();
    await thread.pass(1_000);
    await late;
    end();
    await settled(60);
    expect(jobs).not.toContain('remove');
  });
});

it('R5 a list of what is on a slow disk ends at its deadline', async () => {
  hangs('list');
  const late = expect(thread.ask(pager, { type: 'files', deadlineMs: 1_000 })).rejects.toMatchObject({
    code: 'DeadlineExceeded',
  });
  await settled();
  await thread.pass(1_000);
  await late;
});

it('R6 a page of which nobody can say whether it is there is told of', async () => {
  await putAway();
  during.list = during.remove = () =>
    Promise.reject(new DiskFailure({ path: 'p', operation: 'reading', reason: 'a test' }));
  broker.tell({ type: 'take-back', name: 'ada/main' });
  await settled(60);
  expect(thread.probes).toContainEqual(expect.objectContaining({ name: 'page.unknown', page: 'ada/main' }));
});

it('B1 a pager that is started again has the engine look at what the jobs of the one before held', async () => {
  const end = hangs('spill');
  void putAway();
  await settled();
  broker.tell({ type: 'put-away', pages: [], deadlineMs: 1n } as never);
  await settled();
  end();
  await broker.hears();
  await thread.pass(1_000);
  expect(await broker.hears()).toContainEqual({ type: 'leases-changed' });
});
