/** Files that are of no use any more, removed by the pager; the jobs end when the test lets them. */
import { beforeEach, expect, it } from 'vitest';
import type { BrokerToPager, PagerToBroker } from '../../../src/actors/broker/protocol.js';
import { pagerOver } from '../../../src/actors/pager/pager.js';
import { NoSuchPage } from '../../../src/errors.js';
import type { PagesJob } from '../../../src/pages/job.js';
import { Party, settled, TestThread } from '../thread.js';

const FILE = { generation: 1, time: 0, fingerprint: '', cells: 10, bytes: 1 };
const MIND = {
  kind: 'mind',
  start: () => ({ receive: () => {}, control: () => ({ name: 'ada', exchanges: [] }) }),
};
/** More than those who remove files have room for. */
const MANY = 300;

let thread: TestThread;
let pager: number;
let broker: Party<BrokerToPager, PagerToBroker>;
let mind: number;
let onDisk: Set<string>;
/** What was done on disk. */
let done: string[];
/** Until when nothing is written. */
let writes: Promise<void> | undefined;
/** Removals under way. */
let removals: (() => void)[];

async function run(job: PagesJob): Promise<never> {
  if (job.what === 'open') return { owned: { path: '/pages', lock: 1 }, damaged: [] } as never;
  if (job.what === 'spill') {
    await writes;
    onDisk.add(job.name);
    done.push(`write ${job.name}`);
    return { ...FILE, name: job.name } as never;
  }
  if (job.what === 'restore') {
    done.push(`read ${job.name}`);
    throw new NoSuchPage({ name: job.name });
  }
  if (job.what !== 'remove') return { pages: [], damaged: [] } as never;
  await new Promise<void>((end) => removals.push(end));
  onDisk.delete(job.name);
  done.push(`remove ${job.name}`);
  return undefined as never;
}
const removeNext = async (): Promise<void> => {
  await settled();
  removals.shift()?.();
};
const write = (...rooms: string[]): void => {
  const pages = rooms.map((room, page) => ({
    ...{ activity: `${mind}/${room}`, mind, page, bytes: 1, isFiled: true },
  }));
  broker.tell({ type: 'put-away', pages, deadlineMs: 60_000 });
};
const takeBack = (...rooms: string[]): void => {
  for (const room of rooms) broker.tell({ type: 'take-back', name: `ada/${room}` });
};
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await settled();
};

beforeEach(async () => {
  [onDisk, done, removals] = [new Set(), [], []];
  thread = await TestThread.start();
  broker = await Party.enter(thread, 'broker', () => pager);
  mind = await thread.spawn(MIND as never, 'ada');
  writes = undefined;
  await enter(broker.id);
});

/** A pager that asks this actor. */
async function enter(asked: number): Promise<void> {
  const args = { ...{ broker: asked, engine: asked, residency: 0, dir: '/pages' } };
  const definition = pagerOver(() => ({ run, runWith: run, close: async () => {} }));
  const all = { ...args, diskBytes: 1_000, fingerprint: '' };
  pager = await thread.spawn(definition as never, `pager of ${asked}`, all);
}

it('B4 more files than can wait to be removed are all removed', async () => {
  const rooms = Array.from({ length: MANY }, (_, room) => String(room));
  write(...rooms);
  await until(() => onDisk.size === MANY);
  takeBack(...rooms);
  for (const _ of rooms) await removeNext();
  await settled();
  expect([...onDisk]).toEqual([]);
  expect(thread.probes.filter(({ name }) => name === 'page.unremoved')).toEqual([]);
});

it('B4 a room that is written again while its file is on its way out has a new one, which is lent too', async () => {
  write('a', 'b');
  await until(() => onDisk.size === 2);
  takeBack('a', 'b');
  await settled();
  write('b');
  await removeNext();
  await removeNext();
  await until(() => done.length === 5);
  expect(done.slice(2)).toEqual(['remove ada/a', 'remove ada/b', 'write ada/b']);
  const said = (await broker.hears()).flatMap(({ word }) => (word?.type === 'filed' ? word.file.lent : []));
  expect(said).toEqual([true, true, true]);
});

it('B4 P5 a room whose file is on its way out is not recalled from it, however many files go before', async () => {
  write('a', 'b');
  await until(() => onDisk.size === 2);
  takeBack('a', 'b');
  await settled();
  const what = { activity: `${mind}/b`, mind, room: 'b', name: 'ada/b', genes: [], deadlineMs: 1_000 };
  const recalled = expect(thread.ask(pager, { type: 'restore', ...what })).rejects.toMatchObject({
    code: 'NoSuchPage',
  });
  await removeNext();
  await removeNext();
  await recalled;
  expect(done.filter((what) => what.endsWith('ada/b')).slice(1)).toEqual(['remove ada/b', 'read ada/b']);
});

it('P5 what a user spills is not taken back, although the room goes to disk for want of memory meanwhile', async () => {
  let end = (): void => {};
  writes = new Promise((resolve) => {
    end = resolve;
  });
  const activity = `${mind}/main`;
  const found = { page: { activity, page: 7, held: 10, bytes: 1 }, file: undefined };
  const finder = { kind: 'finder', start: () => ({ receive: () => found, control: () => {} }) };
  await enter(await thread.spawn(finder, 'finder'));
  const what = { activity, mind, name: 'ada/main', deadlineMs: 60_000, drop: false };
  const spill = thread.ask(pager, { type: 'spill', ...what, transcript: new Uint8Array() });
  await settled();
  write('main');
  await settled();
  takeBack('main');
  end();
  await spill;
  await until(() => done.length === 2);
  await removeNext();
  expect([done, [...onDisk]]).toEqual([['write ada/main', 'write ada/main'], ['ada/main']]);
});
