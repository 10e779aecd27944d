/** A lane that the pager writes for the broker: who is asked for what, and what is left where that fails. */
import { beforeEach, expect, it } from 'vitest';
import type { BrokerToPager, DiskWord, PagerToBroker } from '../../../src/actors/broker/protocol.js';
import type { WindowMessage } from '../../../src/actors/engine/lane-window.js';
import { pagerOver } from '../../../src/actors/pager/pager.js';
import { DiskFull, LaneMismatch } from '../../../src/errors.js';
import type { PagesJob, SpillLaneJob } from '../../../src/pages/job.js';
import type { Bringing } from '../../../src/pages/pieces.js';
import { type Context, refuse } from '../../../src/runtime/actor.js';
import { Party, settled, TestThread } from '../thread.js';

const FILE = { name: 'ada/main', generation: 1, time: 0, fingerprint: '', cells: 10, bytes: 100 };
const WINDOW = { page: 5, pieceBytes: 60, layout: { fingerprint: '', cells: 10, bytes: 100, sections: [] } };
const FULL = new DiskFull({ path: 'p', needBytes: 1, freeBytes: 0 });
const OTHER = new LaneMismatch({ lane: 1, expected: 'it', actual: 'another' });

let thread: TestThread;
let pager: number;
let broker: Party<BrokerToPager, PagerToBroker>;
let mind: number;
/** What the engine has heard, and what it answers. */
let asked: WindowMessage['type'][];
let refusesAt: number;
let mute: boolean;
/** The job that writes a lane. */
let write: (bringing: Bringing) => Promise<void>;

const run = async (job: PagesJob): Promise<never> => {
  if (job.what === 'open') return { owned: { path: '/pages', lock: 1 }, damaged: [] } as never;
  return { pages: [], damaged: [] } as never;
};
const runWith = async (_job: SpillLaneJob, _deadlineMs: number, bringing: Bringing) => {
  await write(bringing);
  return FILE;
};
const whole = async (bringing: Bringing): Promise<void> => {
  await bringing.open();
  for (const offset of [0, 60]) await bringing.fill({ section: 0, offset, length: 40 });
};

beforeEach(async () => {
  [asked, refusesAt, mute, write] = [[], 0, false, whole];
  thread = await TestThread.start();
  broker = await Party.enter(thread, 'broker', () => pager);
  const control = (message: WindowMessage, ctx: Context) => {
    if ((message.type as string) === 'leases-changed') return undefined;
    if (mute && message.type === 'fill-window') void ctx.replyLater();
    if (asked.push(message.type) === refusesAt) return refuse(OTHER);
    return message.type === 'open-window' ? WINDOW : undefined;
  };
  const engine = await thread.spawn({ kind: 'engine', start: () => ({ receive() {}, control }) }, 'engine');
  const said = { control: () => ({ name: 'ada', exchanges: [] }), receive() {} };
  mind = await thread.spawn({ kind: 'mind', start: () => said }, 'ada');
  const args = { broker: broker.id, engine, residency: 0, dir: '/pages', diskBytes: 1_000, fingerprint: '' };
  const definition = pagerOver(() => ({ run, runWith, close: async () => {} }));
  pager = await thread.spawn(definition as never, 'pager', args);
});

const lane = () => ({ activity: `${mind}/main`, lane: 1, grant: 3, held: 10 });
/** The broker has a lane written; answers what it is told of it. */
async function written(bytes = 100): Promise<DiskWord[]> {
  const room = { activity: `${mind}/main`, mind, bytes, isFiled: false };
  broker.tell({ type: 'put-lane-away', leaving: { ...room, lane: lane() } as never, deadlineMs: 5_000 });
  await settled(40);
  return (await broker.hears()).flatMap((message) => (message.type === 'disk' ? [message.word] : []));
}

it('B4 is asked of the engine piece by piece, and the window is closed before the broker hears', async () => {
  const words = await written();
  expect(asked).toEqual(['open-window', 'fill-window', 'fill-window', 'close-window']);
  expect(words).toMatchObject([
    { type: 'left', lane: lane(), file: { activity: `${mind}/main`, held: 10, bytes: 100, lent: true } },
    { type: 'lane-over', lane: lane(), error: undefined },
  ]);
});

it.each([
  ['the engine refuses to open it', 1, whole, 'LaneMismatch', ['open-window']],
  [
    'a piece is refused',
    3,
    whole,
    'LaneMismatch',
    ['open-window', 'fill-window', 'fill-window', 'close-window'],
  ],
  [
    'the disk is full',
    0,
    async (bringing: Bringing) => {
      await bringing.open();
      throw FULL;
    },
    'DiskFull',
    ['open-window', 'close-window'],
  ],
])('B4 leaves no window open and no loan where %s', async (_, at, job, code, heard) => {
  [refusesAt, write] = [at, job];
  expect(await written()).toMatchObject([{ type: 'lane-over', lane: lane(), error: { code } }]);
  expect(asked).toEqual(heard);
  expect([...(await thread.saved(pager)).keys()]).toEqual(['folder']);
  expect(thread.probes).toContainEqual(expect.objectContaining({ name: 'page.unwritten' }));
});

it('B4 is refused before anything is read where disk has no room for it', async () => {
  expect(await written(2_000)).toMatchObject([{ type: 'lane-over', error: { code: 'OverDiskBudget' } }]);
  expect(asked).toEqual([]);
});

it('B4 is given up where the engine does not answer in time; the next lane is written', async () => {
  mute = true;
  expect(await written()).toEqual([]);
  await thread.pass(5_000);
  const [over] = (await broker.hears()).flatMap((message) => (message.type === 'disk' ? [message.word] : []));
  expect(over).toMatchObject({ type: 'lane-over', error: { code: 'AskTimeout' } });
  expect(asked).toEqual(['open-window', 'fill-window', 'close-window']);
  mute = false;
  expect(await written()).toMatchObject([{ type: 'left' }, { type: 'lane-over', error: undefined }]);
});
