/** What lanes hold leaves to disk before the broker has the context made smaller; engine and pager are told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { Holds } from '../../../src/actors/broker/leases.js';
import type {
  BrokerToMind,
  BrokerToPager,
  FiledPage,
  MindToBroker,
  PagerToBroker,
} from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker } from '../../../src/actors/engine/protocol.js';
import { DiskFailure } from '../../../src/errors.js';
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
const told = async (): Promise<string[]> =>
  (await engine.hears()).map((message) => {
    if (message.type === 'vacate') return `vacate ${message.claims.map(({ lane }) => lane)}`;
    return message.type;
  });
/** The engine has made the page, and the pager has written it, or has not. */
const written = async (name: string, page: number, error?: Error): Promise<void> => {
  engine.tell({ type: 'paged', record: { activity: room(name), page, held: 10, bytes: 100 } });
  await settled();
  const file: FiledPage = {
    ...{ activity: room(name), mind: ada.id, held: 10, bytes: 100, said: 7, lent: true },
    file: { name, generation: 1, time: 1, fingerprint: 'f', cells: 10, bytes: 100 },
  };
  if (error === undefined) pager.tell({ type: 'disk', word: { type: 'filed', file, page, drop: false } });
  const word = { type: 'put-away', page, error: error && toEnvelope(error) } as const;
  pager.tell({ type: 'disk', word });
  await settled();
};

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
  it('B4 lets one lane leave to disk after the other, and is made when the last one has', async () => {
    await press();
    expect(await told()).toEqual(['vacate 0']);
    await written('old', 1);
    expect(await told()).toEqual(['trim', 'vacate 1']);
    await written('new', 2);
    expect(await told()).toEqual(['trim', 'relaunch']);
    expect(await thread.ask(broker, { type: 'pages' })).toEqual([]);
  });

  it('B4 is made at once where disk takes no lane: they are in memory then', async () => {
    await press();
    await written('old', 1, new DiskFailure({ path: 'p', operation: 'writing', reason: 'a test' }));
    expect(await told()).toEqual(['vacate 0', 'relaunch']);
    expect(await thread.ask(broker, { type: 'pages' })).toMatchObject([{ page: 1 }]);
  });

  it('B4 keeps a room that a turn came to wait for in memory, and that turn waits for the context', async () => {
    await press();
    request(3, 'old');
    request(4, 'new');
    expect(await ada.hears()).toMatchObject([
      { type: 'queued', ticket: 3, reason: 'relaunching' },
      { type: 'queued', ticket: 4, reason: 'relaunching' },
    ]);
    await written('old', 1);
    expect(await told()).toEqual(['vacate 0', 'relaunch']);
    expect(await thread.ask(broker, { type: 'pages' })).toMatchObject([{ page: 1 }]);
  });

  it('B4 waits for a slow disk no longer than 5 s, for nothing is granted meanwhile', async () => {
    await press();
    engine.tell({ type: 'paged', record: { activity: room('old'), page: 1, held: 10, bytes: 100 } });
    await thread.pass(4_000);
    expect(await told()).toEqual(['vacate 0']);
    await thread.pass(2_000);
    expect(await told()).toEqual(['relaunch']);
  });

  it('E7 is made when an engine that was lost meanwhile is there again', async () => {
    await press();
    engine.tell({ type: 'up', engine: engine.id, epoch: 1, shape: FULL, pages: [] });
    expect(await told()).toEqual(['vacate 0', 'relaunch']);
    engine.tell({ type: 'up', engine: engine.id, epoch: 2, shape: SMALL, pages: [] });
    request(3, 'old');
    expect((await ada.hears()).at(-1)).toMatchObject({ type: 'granted', epoch: 2 });
  });

  it('B4 leaves lanes alone where the device has memory of its own', async () => {
    await press(false);
    expect(await told()).toEqual(['relaunch']);
  });
});
