/** What lanes hold leaves to disk before the broker has the context made smaller; engine and pager are told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { Holds } from '../../../src/actors/broker/leases.js';
import type {
  BrokerToMind,
  BrokerToPager,
  DiskWord,
  FiledPage,
  LeavingLane,
  MindToBroker,
  PagerToBroker,
  Rooms,
} from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker } from '../../../src/actors/engine/protocol.js';
import { DiskFailure, LaneMismatch } from '../../../src/errors.js';
import { toEnvelope } from '../../../src/runtime/errors.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker | Holds, EngineControl | { readonly type: 'trim' }>;
let ada: Party<MindToBroker, BrokerToMind>;
let pager: Party<PagerToBroker | Holds, BrokerToPager>;

const FULL = { lanes: 2, cells: 512, context: 256 };
const SMALL = { lanes: 1, cells: 256, context: 256 };
const room = (name: string): string => `${ada.id}/${name}`;
const request = (ticket: number, name: string): void =>
  ada.tell({
    ...{ type: 'request', ticket, activity: room(name), class: 'interactive', cells: 100, genes: [] },
  });
/** A room has a turn, and holds its lane then. */
const run = async (ticket: number, name: string): Promise<void> => {
  request(ticket, name);
  const granted = (await ada.hears()).find(({ type }) => type === 'granted');
  if (granted?.type !== 'granted') throw new Error('no lane was granted');
  const { grant, lane } = granted;
  const effort = { held: 10, bytes: 100, stretches: [], processed: 5, produced: 5 };
  engine.tell({ type: 'ran', grant, lane, activity: room(name), ...effort });
  await thread.pass(10);
};
/** Memory is so short that only a smaller context helps. */
const press = async (onePool = true): Promise<void> => {
  const lease = (kind: 'context' | 'checkpoints', bytes: number, floorBytes: number) =>
    ({ owner: kind, kind, tier: onePool ? 'host' : 'device', bytes, floorBytes }) as const;
  const leases = [lease('context', 512, 256), lease('checkpoints', 500, 0)];
  engine.tell({ type: 'holds', holder: 'engine', leases, onePool });
  await thread.pass(200);
};
/** What the engine has heard. */
const told = async (): Promise<string[]> =>
  (await engine.hears()).map((message) => {
    if (message.type !== 'vacate') return message.type;
    return message.claims.map(({ lane, keep }) => `${keep ? 'page out' : 'empty'} ${lane}`).join();
  });
/** The lane that the pager was told to write, if it was. */
const leaving = async (): Promise<LeavingLane | undefined> =>
  (await pager.hears()).flatMap((message) => (message.type === 'put-lane-away' ? [message.leaving] : []))[0];
const word = (said: DiskWord): void => pager.tell({ type: 'disk', word: said });
/** It was written, or was not. */
const written = async ({ activity, bytes, lane }: LeavingLane, error?: Error): Promise<void> => {
  const file: FiledPage = {
    ...{ activity, mind: ada.id, held: lane.held, bytes, said: 7, lent: true },
    file: { name: activity, generation: 1, time: 1, fingerprint: 'f', cells: lane.held, bytes },
  };
  if (error === undefined) word({ type: 'left', file, lane });
  word({ type: 'lane-over', lane, error: error && toEnvelope(error) });
  await settled();
};
const places = async () => ((await thread.ask(broker, { type: 'rooms' })) as Rooms).places;

beforeEach(async () => {
  thread = await TestThread.start();
  const budgets = { device: 1_000, host: 1_000, disk: 1_000 };
  broker = await thread.spawn(definition as never, 'broker', { pageBytes: 1_000, budgets });
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  pager = await Party.enter(thread, 'pager', () => broker);
  pager.tell({ type: 'holds', holder: 'pager', leases: [] });
  engine.tell({ type: 'up', engine: engine.id, epoch: 0, shape: FULL, pages: [] });
  await run(1, 'old');
  await run(2, 'new');
  await engine.hears();
});

describe('a context that is made smaller for memory', () => {
  it('B4 has one lane written after the other, each emptied when it is on disk, and is made then', async () => {
    await press();
    const old = await leaving();
    expect(old).toMatchObject({
      ...{ activity: room('old'), mind: ada.id, bytes: 100, isFiled: false },
      lane: { activity: room('old'), lane: 0, held: 10 },
    });
    expect(await told()).toEqual([]);
    await written(old as LeavingLane);
    expect(await told()).toEqual(['empty 0']);
    await written((await leaving()) as LeavingLane);
    expect(await told()).toEqual(['empty 1', 'relaunch']);
    expect(await thread.ask(broker, { type: 'pages' })).toEqual([]);
    expect((await places()).map(({ activity, file }) => [activity, file?.lent])).toEqual([
      [room('old'), true],
      [room('new'), true],
    ]);
  });

  it('B4 is made at once where disk takes no lane: the engine has them in memory then', async () => {
    await press();
    const full = new DiskFailure({ path: 'p', operation: 'writing', reason: 'a test' });
    await written((await leaving()) as LeavingLane, full);
    expect(await told()).toEqual(['relaunch']);
    expect(await leaving()).toBeUndefined();
  });

  it('B4 passes over a lane that could not be written as it was, which stays where it is', async () => {
    await press();
    const other = new LaneMismatch({ lane: 0, expected: 'it', actual: 'another' });
    await written((await leaving()) as LeavingLane, other);
    expect(await told()).toEqual([]);
    expect(await leaving()).toMatchObject({ activity: room('new') });
  });

  it('B4 has a turn that comes meanwhile wait for the context; its room is read from disk then', async () => {
    await press();
    request(3, 'old');
    request(4, 'new');
    expect(await ada.hears()).toMatchObject([
      { type: 'queued', ticket: 3, reason: 'relaunching' },
      { type: 'queued', ticket: 4, reason: 'relaunching' },
    ]);
    await written((await leaving()) as LeavingLane);
    await written((await leaving()) as LeavingLane);
    expect(await told()).toEqual(['empty 0', 'empty 1', 'relaunch']);
    expect(await pager.hears()).toEqual([]);
    engine.tell({ type: 'up', engine: engine.id, epoch: 1, shape: SMALL, pages: [] });
    expect((await pager.hears()).filter(({ type }) => type === 'read')).toMatchObject([
      { file: { activity: room('old') } },
      { file: { activity: room('new') } },
    ]);
  });

  it('B4 has a turn that runs give up its lane as it is, which leaves last; the turn waits for disk then', async () => {
    request(3, 'new');
    const granted = (await ada.hears()).find(({ type }) => type === 'granted');
    const { grant, lane } = granted as BrokerToMind & { type: 'granted' };
    await press();
    expect(await ada.hears()).toMatchObject([{ type: 'reclaim', ticket: 3, leftIn: 'lane' }]);
    await thread.pass(2_000);
    expect(await told()).toEqual(['revoke']);
    const effort = { held: 12, bytes: 120, stretches: [], processed: 1, produced: 1 };
    engine.tell({ type: 'ran', grant, lane, activity: room('new'), ...effort });
    request(4, 'new');
    await settled();
    const old = await leaving();
    expect(old).toMatchObject({ activity: room('old') });
    await written(old as LeavingLane);
    const last = (await leaving()) as LeavingLane;
    expect(last).toMatchObject({ activity: room('new'), bytes: 120, lane: { grant, held: 12 } });
    await written(last);
    expect(await told()).toEqual(['empty 0', 'empty 1', 'relaunch']);
    engine.tell({ type: 'up', engine: engine.id, epoch: 1, shape: SMALL, pages: [] });
    expect((await ada.hears()).at(-1)).toMatchObject({ type: 'queued', ticket: 4, reason: 'disk' });
  });

  it('B4 waits for a slow disk no longer than 5 s, for nothing is granted meanwhile', async () => {
    await press();
    await thread.pass(4_000);
    expect(await told()).toEqual([]);
    await thread.pass(2_000);
    expect(await told()).toEqual(['relaunch']);
  });

  it('B4 E7 is made smaller by the engine after one that was lost meanwhile, however long that is away', async () => {
    await press();
    engine.end();
    await thread.pass(10_000);
    engine = await Party.enter(thread, 'engine again', () => broker);
    engine.tell({ type: 'up', engine: engine.id, epoch: 1, shape: FULL, pages: [] });
    expect(await told()).toEqual(['relaunch']);
  });

  it('B4 takes no notice of a lane that was written too late: what it held is in memory', async () => {
    await press();
    const old = (await leaving()) as LeavingLane;
    await thread.pass(6_000);
    engine.tell({ type: 'paged', record: { activity: room('old'), page: 1, held: 10, bytes: 100 } });
    engine.tell({ type: 'up', engine: engine.id, epoch: 1, shape: SMALL, pages: [] });
    engine.tell({ type: 'paged', record: { activity: room('old'), page: 1, held: 10, bytes: 100 } });
    await told();
    await written(old);
    expect(await told()).toEqual([]);
    expect(await pager.hears()).toContainEqual({ type: 'take-back', name: room('old') });
  });

  it('T6 has a lane emptied whose mind left meanwhile, and its file removed', async () => {
    await press();
    const old = (await leaving()) as LeavingLane;
    ada.end();
    await settled();
    await written(old);
    expect(await pager.hears()).toContainEqual({ type: 'take-back', name: room('old') });
    expect(await told()).toContain('empty 0');
    expect((await places()).filter(({ activity }) => activity === room('old'))).toEqual([]);
  });

  it('P5 has a room forgotten that was on its way: what is written of it even so is removed', async () => {
    await press();
    const old = (await leaving()) as LeavingLane;
    const forgotten = thread.ask(broker, { type: 'forget-room', activity: room('old') });
    engine.tell({ type: 'up', engine: engine.id, epoch: 1, shape: FULL, pages: [] });
    expect(await forgotten).toBe(true);
    await written(old);
    expect(await pager.hears()).toContainEqual({ type: 'take-back', name: room('old') });
  });

  it('R4 is made when the pager is lost over it', async () => {
    await press();
    pager.end();
    await settled();
    expect(await told()).toEqual(['relaunch']);
  });

  it('E7 is made when an engine that was lost meanwhile is there again', async () => {
    await press();
    engine.tell({ type: 'up', engine: engine.id, epoch: 1, shape: FULL, pages: [] });
    expect(await told()).toEqual(['relaunch']);
    engine.tell({ type: 'up', engine: engine.id, epoch: 2, shape: SMALL, pages: [] });
    request(3, 'old');
    expect((await ada.hears()).at(-1)).toMatchObject({ type: 'granted', epoch: 2 });
  });

  it('B4 leaves lanes alone where the device has memory of its own', async () => {
    await press(false);
    expect(await told()).toEqual(['relaunch']);
    expect(await leaving()).toBeUndefined();
  });
});
