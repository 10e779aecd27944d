/** The broker itself, told by its engine which cells lanes share. */
import { beforeEach, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { MemoryReport } from '../../../src/actors/broker/memory-report.js';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import { Band } from '../../../src/runtime/message.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, settled, TestThread } from '../thread.js';

const LANES = 4;
/** Of which each turn wants a hundred. */
const CELLS = 220;

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let ada: Party<MindToBroker, BrokerToMind>;

beforeEach(async () => {
  thread = await TestThread.start();
  const args = { pageBytes: 10_000, budgets: UNBOUNDED, status: createStatus() };
  broker = await thread.spawn(definition as never, 'broker', args);
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  const shape = { lanes: LANES, cells: CELLS, context: CELLS };
  engine.tell({ type: 'up', engine: engine.id, epoch: 0, shape, pages: [] });
});

const request = (ticket: number, activity = `${ticket}`): void =>
  ada.tell({ type: 'request', ticket, activity, class: 'interactive', cells: 100, genes: [] });
const upTo = (to: number, origin = 1) => [{ origin, to }];
const shared = (lane: number, grant: number, stretches = upTo(80)): void =>
  engine.tell({ type: 'shared', lane, grant, stretches });
const ran = (lane: number, grant: number, held: number, stretches = upTo(80)): void =>
  engine.tell({
    ...{ type: 'ran', grant, lane, activity: `${grant}`, held, bytes: held, stretches },
    ...{ processed: 1, produced: 1 },
  });
const cells = async () => {
  await settled();
  return (await thread.ask<MemoryReport>(broker, { type: 'memory' }, Band.control)).cells;
};
const granted = async () =>
  (await ada.hears()).map((message) => [message.type, 'ticket' in message ? message.ticket : 0]);

it('T1 a turn that waits for cells is granted as soon as the engine says that there are', async () => {
  for (const ticket of [1, 2, 3]) request(ticket);
  expect(await granted()).toEqual([
    ['granted', 1],
    ['granted', 2],
    ['queued', 3],
  ]);
  expect(await cells()).toEqual({ total: CELLS, granted: 200, idle: 0, saved: 0 });
  shared(0, 1);
  shared(1, 2);
  expect(await granted()).toEqual([['granted', 3]]);
  expect(await cells()).toEqual({ total: CELLS, granted: 220, idle: 0, saved: 80 });
  shared(2, 3);
  expect(await cells()).toEqual({ total: CELLS, granted: 140, idle: 0, saved: 160 });
});

it('B1 what an idle lane shares goes on counting for the others, and only the rest comes free with it', async () => {
  for (const ticket of [1, 2]) request(ticket);
  shared(0, 1);
  shared(1, 2);
  ran(1, 2, 85);
  expect(await cells()).toEqual({ total: CELLS, granted: 100, idle: 5, saved: 80 });
  request(3);
  request(4);
  expect(await granted()).toEqual([
    ['granted', 1],
    ['granted', 2],
    ['granted', 3],
    ['queued', 4],
  ]);
  expect(await engine.hears()).toEqual([]);
  await thread.pass(1);
  ran(0, 1, 90);
  expect(await granted()).toEqual([['granted', 4]]);
  expect(await engine.hears()).toMatchObject([
    { type: 'vacate', claims: [{ lane: 1 }] },
    { type: 'vacate', claims: [{ lane: 0 }] },
  ]);
  expect(await cells()).toEqual({ total: CELLS, granted: 200, idle: 0, saved: 0 });
});

it('B1 a lane that is granted again counts as its own, whatever was said of it before', async () => {
  request(1);
  request(2);
  shared(1, 2);
  ran(0, 1, 90, []);
  request(3, '1');
  await granted();
  shared(0, 1);
  expect(await cells()).toEqual({ total: CELLS, granted: 200, idle: 0, saved: 0 });
  ada.tell({ type: 'withdraw', ticket: 3 });
  expect(await cells()).toEqual({ total: CELLS, granted: 100, idle: 10, saved: 80 });
});
