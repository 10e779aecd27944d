/** Lanes that the broker takes back: asked of the mind, and at the deadline of the engine. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import {
  type BrokerToMind,
  type MindToBroker,
  TURN_CLASSES,
  type TurnClass,
} from '../../../src/actors/broker/protocol.js';
import { FAIR_MS, FAIR_TOKENS } from '../../../src/actors/broker/reclaim-rule.js';
import { Reclaims, type ReclaimsOf } from '../../../src/actors/broker/reclaims.js';
import { emptyLane, type RunOnLane } from '../../../src/actors/engine/lane.js';
import type { EngineControl, EngineToBroker } from '../../../src/actors/engine/protocol.js';
import { createStatus, showLane } from '../../../src/actors/engine/status.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let ada: Party<MindToBroker, BrokerToMind>;
let ben: Party<MindToBroker, BrokerToMind>;
let status: Int32Array;

const up = (lanes: number): void =>
  engine.tell({
    ...{ type: 'up', engine: engine.id, epoch: 0, pages: [] },
    shape: { lanes, cells: 1_000, context: 1_000 },
  });

beforeEach(async () => {
  thread = await TestThread.start();
  status = createStatus();
  broker = await thread.spawn(definition as never, 'broker', {
    pageBytes: 1_000,
    budgets: UNBOUNDED,
    status,
  });
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  ben = await Party.enter(thread, 'ben', () => broker);
  up(1);
});

type Mind = typeof ada;
const request = (mind: Mind, ticket: number, turnClass: TurnClass = 'interactive', since?: number): void =>
  mind.tell({
    ...{ type: 'request', ticket, activity: `${mind.id}`, class: turnClass, cells: 100, genes: [] },
    ...(since === undefined ? {} : { since }),
  });
const ran = (grant: number, produced = 10): void =>
  engine.tell({
    type: 'ran',
    grant,
    lane: 0,
    activity: undefined,
    held: 0,
    bytes: 0,
    stretches: [],
    processed: 10,
    produced,
  });
/** The run on lane 0 has produced so many tokens. */
const shows = (produced: number): void =>
  showLane(status, { ...emptyLane(0), run: { produced, before: 0 } as RunOnLane }, undefined);
const heard = async (mind: Mind) =>
  (await mind.hears()).map((message) => [message.type, 'ticket' in message ? message.ticket : 0]);
/** A turn of this class has the lane. */
async function granted(mind: Mind, turnClass: TurnClass): Promise<void> {
  request(mind, 1, turnClass);
  expect(await heard(mind)).toEqual([['granted', 1]]);
}
const revoked = async () => (await engine.hears()).filter(({ type }) => type === 'revoke');

describe('a lane that is wanted back', () => {
  /** Wants all of them. */
  const relaunch = async (deadlineMs = 10_000): Promise<void> => {
    const shape = { lanes: 1, cells: 1_000, context: 1_000 };
    thread.ask(broker, { type: 'relaunch', shape, deadlineMs }).catch(() => {});
    await settled();
  };

  it('T2 is asked of its mind once, with a deadline, and free when the engine has ended the run', async () => {
    await granted(ada, 'interactive');
    await relaunch();
    expect(await ada.hears()).toEqual([{ type: 'reclaim', ticket: 1, deadlineMs: 2_000, leftIn: 'page' }]);
    request(ben, 1);
    expect(await heard(ada)).toEqual([]);
    ran(1);
    ada.tell({ type: 'released', ticket: 1 });
    expect(await engine.hears()).toMatchObject([{ type: 'relaunch' }]);
    await thread.pass(3_000);
    expect(await engine.hears()).toEqual([]);
  });

  it('T2 is taken at the deadline: the engine is told itself, and answers for a run that never came', async () => {
    await granted(ada, 'interactive');
    await relaunch(500);
    await thread.pass(499);
    expect(await revoked()).toEqual([]);
    await thread.pass(1);
    expect(await revoked()).toMatchObject([{ type: 'revoke', grant: 1, error: undefined }]);
    await ada.hears();
    engine.tell({ type: 'never-ran', grant: 1 });
    request(ben, 1);
    expect(await heard(ben)).toEqual([['granted', 1]]);
    // Its mind may have sent the run, and that was lost on its way.
    expect(await heard(ada)).toEqual([['revoked', 1]]);
  });

  it('T2 shows when it is free for whom it was taken back, why, and how long that took', async () => {
    await granted(ada, 'background');
    request(ben, 1, 'interactive');
    await thread.pass(2_000);
    const shown = () => thread.probes.filter(({ name }) => name === 'turn.reclaimed');
    expect([(await heard(ada)).length, shown()]).toEqual([1, []]);
    await thread.pass(300);
    ran(1);
    await settled();
    const [took, gave] = [ben, ada].map(({ id }) => ({ mind: id, room: `${id}` }));
    const forWhom = { forMind: took?.mind, forRoom: took?.room };
    expect(shown()).toEqual([{ name: 'turn.reclaimed', ...gave, ...forWhom, reason: 'lane', ms: 1_300 }]);
    await relaunch();
    ran(2);
    await settled();
    expect(shown()[1]).toMatchObject({ mind: ben.id, forMind: undefined, reason: 'relaunching', ms: 0 });
  });

  it('T2 is taken at once where its mind has nothing more of it', async () => {
    await granted(ada, 'interactive');
    await relaunch();
    ada.tell({ type: 'released', ticket: 1 });
    expect(await revoked()).toMatchObject([{ type: 'revoke', grant: 1, error: undefined }]);
  });
});

describe('a turn that waits', () => {
  it('T5 gets the lane of a lower class after a second, and that one does not get it back', async () => {
    await granted(ada, 'background');
    request(ben, 1, 'interactive');
    await thread.pass(999);
    expect(await heard(ada)).toEqual([]);
    await thread.pass(1_001);
    expect(await heard(ada)).toEqual([['reclaim', 1]]);
    ran(1);
    expect(await heard(ben)).toEqual([
      ['queued', 1],
      ['granted', 1],
    ]);
    request(ada, 2, 'background', 0);
    await thread.pass(60_000);
    expect(await heard(ben)).toEqual([]);
  });

  it('T5 gets the lane of its own class when that one has had its tokens and its time', async () => {
    await granted(ada, 'interactive');
    request(ben, 1, 'interactive');
    shows(FAIR_TOKENS - 1);
    await thread.pass(FAIR_MS + 2_000);
    expect(await heard(ada)).toEqual([]);
    shows(FAIR_TOKENS);
    await thread.pass(1_000);
    expect(await heard(ada)).toEqual([['reclaim', 1]]);
  });

  it('T4 T5 again after a reclaim has its age: it waits behind none that came later and had as much', async () => {
    await granted(ada, 'interactive');
    await thread.pass(5_000);
    request(ben, 1);
    request(ada, 2, 'interactive', 0);
    ran(1, 0);
    const cleo = await Party.enter<MindToBroker, BrokerToMind>(thread, 'cleo', () => broker);
    request(cleo, 1);
    expect(await heard(ben)).toEqual([
      ['queued', 1],
      ['granted', 1],
    ]);
    ran(2, 0);
    expect(await heard(ada)).toEqual([
      ['queued', 2],
      ['granted', 2],
    ]);
  });
});

describe('all lanes', () => {
  /** Classes of the turns that are told to give up their lanes, of these that run. */
  function told(turnClass: TurnClass, running: readonly TurnClass[]): TurnClass[] {
    const seen: TurnClass[] = [];
    const granted = new Map(
      running.map((each, grant) => {
        const request = { grant, rank: TURN_CLASSES.indexOf(each), move: undefined };
        return [grant, { request, phenotype: {}, reclaim: undefined }];
      }),
    );
    const post = { reclaim: ({ rank }: { rank: 0 | 1 | 2 }) => seen.push(TURN_CLASSES[rank]) };
    const of = { ctx: { after: () => {} }, post, turns: { granted }, tellEngine() {}, status };
    new Reclaims(of as unknown as ReclaimsOf).askAll(turnClass, 1_000, 'page');
    return seen;
  }

  it('B4 E7 are taken for a relaunch; for memory not before no realtime turn runs', () => {
    expect(told('realtime', ['realtime', 'background'])).toEqual(['realtime', 'background']);
    expect(told('interactive', ['interactive', 'background'])).toEqual(['interactive', 'background']);
    expect(told('interactive', ['realtime', 'background'])).toEqual([]);
  });
});
