/** A relaunch as the broker sees it: the engine is told when nothing runs, and nobody is granted anything before. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker, Shape } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import type { ErrorEnvelope } from '../../../src/runtime/errors.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let ada: Party<MindToBroker, BrokerToMind>;

beforeEach(async () => {
  thread = await TestThread.start();
  broker = await thread.spawn(definition as never, 'broker', {
    pageBytes: 1000,
    budgets: UNBOUNDED,
    status: createStatus(),
  });
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  up(1);
});

const shapeOf = (lanes: number, cells = 1000): Shape => ({ lanes, cells, context: 100 });
const up = (lanes: number, epoch = 0, error?: ErrorEnvelope, cells = 1000): void =>
  engine.tell({ type: 'up', engine: engine.id, epoch, shape: shapeOf(lanes, cells), pages: [], error });
const request = (ticket: number, activity: string, cells = 100): void =>
  ada.tell({ type: 'request', ticket, activity, class: 'interactive', cells, genes: [] });
const ran = (grant: number): void =>
  engine.tell({
    ...{ type: 'ran', grant, lane: 0, activity: 'a', held: 10, bytes: 10, stretches: [] },
    ...{ processed: 1, produced: 1 },
  });
const relaunch = (shape: Shape, deadlineMs = 1000): Promise<unknown> => {
  const answer = thread.ask(broker, { type: 'relaunch', shape, deadlineMs });
  answer.catch(() => {});
  return answer;
};
const told = async () => (await engine.hears()).filter(({ type }) => type === 'relaunch');

describe('a relaunch', () => {
  it('E7 takes back what was granted, grants nothing meanwhile, and is answered when the engine is up', async () => {
    request(1, 'a');
    await ada.hears();
    const answer = relaunch(shapeOf(2));
    await settled();
    request(2, 'b');
    expect(await ada.hears()).toEqual([
      { type: 'reclaim', ticket: 1, deadlineMs: 1_000, leftIn: 'page' },
      { type: 'queued', ticket: 2, reason: 'relaunching' },
    ]);
    expect(await told()).toEqual([]);
    ran(1);
    expect(await told()).toEqual([{ type: 'relaunch', shape: shapeOf(2) }]);
    expect(await ada.hears()).toEqual([]);
    up(2, 1);
    expect(await answer).toEqual(shapeOf(2));
    expect(await ada.hears()).toMatchObject([{ type: 'granted', ticket: 2, epoch: 1 }]);
  });

  it('E7 that the engine could not do is refused with its reason, and turns go on', async () => {
    const answer = relaunch(shapeOf(2));
    expect(await told()).toHaveLength(1);
    request(1, 'a');
    up(1, 1, { code: 'NativeFailure', message: '', detail: { call: 'x', reason: 'y' }, stack: undefined });
    await expect(answer).rejects.toMatchObject({ code: 'NativeFailure' });
    expect(await ada.hears()).toMatchObject([{ type: 'queued' }, { type: 'granted' }]);
  });

  it('E7 past its deadline is refused, and turns go on', async () => {
    request(1, 'a');
    const answer = relaunch(shapeOf(2), 500);
    await settled();
    request(2, 'b');
    await ada.hears();
    await thread.pass(500);
    await expect(answer).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    ran(1);
    expect(await ada.hears()).toMatchObject([{ type: 'queued', reason: 'lane' }, { type: 'granted' }]);
    expect(await told()).toEqual([]);
  });

  it('E7 during which the engine is lost is refused, and turns go on with the next', async () => {
    const answer = relaunch(shapeOf(2));
    expect(await told()).toHaveLength(1);
    up(1, 7);
    await expect(answer).rejects.toMatchObject({ code: 'EngineLost' });
    request(1, 'a');
    expect(await ada.hears()).toMatchObject([{ type: 'granted', epoch: 7 }]);
  });

  it.each([
    ['when the engine is gone for good while it is at it', 'told', 'EngineLost'],
    ['past its deadline when the engine was gone before', 'ready', 'DeadlineExceeded'],
  ])('E7 is refused %s', async (_when, stage, code) => {
    if (stage === 'ready') engine.end();
    const answer = relaunch(shapeOf(2));
    await settled();
    engine.end();
    await thread.pass(1_000);
    await expect(answer).rejects.toMatchObject({ code });
  });

  it('E7 is one at a time', async () => {
    request(1, 'a');
    await ada.hears();
    relaunch(shapeOf(2));
    await settled();
    await expect(relaunch(shapeOf(3))).rejects.toMatchObject({ code: 'MailboxFull' });
  });

  it('B6 refuses waiting turns that the new cells can never hold', async () => {
    request(1, 'a', 900);
    await ada.hears();
    request(2, 'b', 900);
    relaunch(shapeOf(1, 500));
    await ada.hears();
    ran(1);
    await settled();
    up(1, 1, undefined, 500);
    expect(await ada.hears()).toMatchObject([
      { type: 'refused', ticket: 2, error: { code: 'ContextFull', detail: { needTokens: 900 } } },
    ]);
  });
});
