/** The mind itself; its broker, its engine and its reader are told what to say. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import type { EngineControl, Run, RunDone } from '../../../src/actors/engine/protocol.js';
import definition from '../../../src/actors/mind/mind.js';
import type { MindArgs, MindControl, TurnAnswer, TurnRequest } from '../../../src/actors/mind/protocol.js';
import type { PinnedPhenotype } from '../../../src/actors/residency/protocol.js';
import type { NativeModel } from '../../../src/native/addon.js';
import { Band } from '../../../src/runtime/message.js';
import { load, TINY } from '../../native/fixtures.js';
import { Party, settled, TestThread } from '../thread.js';

let model: NativeModel;
beforeAll(() => {
  model = load(TINY);
});
afterAll(() => model.close());

let thread: TestThread;
let mind: number;
let broker: Party<BrokerToMind, MindToBroker>;
let engine: Party<RunDone, Run | EngineControl>;
let reader: Party<MindControl, never>;

beforeEach(async () => {
  thread = await TestThread.start();
  broker = await Party.enter(thread, 'broker', () => mind);
  engine = await Party.enter(thread, 'engine', () => mind);
  reader = await Party.enter(thread, 'reader', () => mind);
  const args: MindArgs = {
    name: 'ada',
    system: 'Be brief.',
    sampling: {},
    class: 'interactive',
    genes: [{ gene: 'own', scale: 1 }],
    plainSystem: false,
    model: model.info.id,
    modelName: 'tiny',
    limits: new Int32Array(new SharedArrayBuffer(4)).fill(512),
    engine: engine.id,
    broker: broker.id,
  };
  mind = await thread.spawn(definition as never, 'mind/ada', args);
});
afterEach(() => thread.stop());

let numbers = 0;
/** Asks for a turn; answers its number, its answer, and whether that has come. */
function call(given: Partial<TurnRequest> = {}) {
  const turn = ++numbers;
  const request: TurnRequest = {
    type: 'turn',
    turn,
    room: 'main',
    text: 'Good evening.',
    maxTokens: 20,
    genes: undefined,
    sampling: {},
    stops: [],
    onReclaim: 'resume',
    calledAt: 0,
    deadlineMs: 60_000,
    reader: reader.id,
    ...given,
  };
  const called = {
    turn,
    ended: undefined as TurnAnswer | { readonly code: string } | undefined,
    answer: thread.ask<TurnAnswer>(mind, request as never),
  };
  called.answer.then(
    (answer) => {
      called.ended = answer;
    },
    (error) => {
      called.ended = error;
    },
  );
  return called;
}
/** The ticket of the next request that the broker has heard. */
async function ticket(): Promise<number> {
  const [request] = (await broker.hears()) as { ticket: number }[];
  return (request as { ticket: number }).ticket;
}
const NO_GENES = { genes: [], missed: { genes: 0, bytes: 0 } };
const grant = (to: number, number: number, phenotype: PinnedPhenotype = NO_GENES): void =>
  broker.tell({
    type: 'granted',
    ticket: to,
    grant: number,
    epoch: 0,
    lane: 0,
    continues: false,
    sharing: 0,
    vacated: 0,
    phenotype,
  });
const done = (number: number, given: Partial<RunDone> = {}): void =>
  engine.tell({
    type: 'done',
    grant: number,
    begun: true,
    soFar: undefined,
    outcome: 'stop',
    text: '',
    reply: model.tokenize(given.text ?? '', { special: false, continues: true }),
    produced: 1,
    processed: 10,
    reused: 0,
    shared: 0,
    pagedIn: { bytes: 0, ms: 0 },
    times: { waitedMs: 1, promptMs: 2, decodeMs: 3 },
    error: undefined,
    ...given,
  });
const crash = async (): Promise<void> => {
  thread
    .ask(mind, { type: 'turn', room: 'x', text: 'x', deadlineMs: 5n, calledAt: 0, turn: 0 })
    .catch(() => {});
  // It is started again after 10 ms at most.
  await thread.pass(10);
};

describe('a turn', () => {
  it('T1 asks for cells for its prompt and its reply, and runs on the lane that it is granted', async () => {
    call();
    const [request] = await broker.hears();
    expect(request).toMatchObject({ type: 'request', class: 'interactive', activity: `${mind}/main` });
    grant((request as { ticket: number }).ticket, 77);
    const [run] = (await engine.hears()) as [Run];
    expect(run).toMatchObject({ type: 'run', grant: 77, activity: `${mind}/main`, lane: 0, maxTokens: 20 });
    expect((request as { cells: number }).cells).toBe(run.tokens.length + 20);
  });

  it('T1 asks for the genes that it names, else for those of the mind, and runs what was pinned', async () => {
    const called = call({ genes: [{ gene: 'calm', scale: 2 }] });
    call({ room: 'other' });
    const [request, other] = (await broker.hears()) as (MindToBroker & { ticket: number })[];
    expect(request).toMatchObject({ genes: [{ gene: 'calm', scale: 2 }] });
    expect(other).toMatchObject({ genes: [{ gene: 'own', scale: 1 }] });
    const missed = { genes: 1, bytes: 10 };
    grant(request?.ticket ?? 0, 5, { genes: [{ name: 'calm', gene: 3, scale: 2 }], missed });
    expect(await engine.hears()).toMatchObject([{ type: 'run', genes: [{ gene: 3, scale: 2 }] }]);
    done(5);
    const { phenotype, genesMissed } = (await called.answer).receipt;
    expect([phenotype, genesMissed]).toEqual([{ genes: ['calm'], scales: [2] }, missed]);
  });

  it('G2 says which of its turns are over when it is asked, after all that it said before', async () => {
    call();
    const first = await ticket();
    call({ room: 'other' });
    const second = await ticket();
    grant(first, 1);
    await settled();
    done(1);
    broker.tell({ type: 'confirm', question: 4, tickets: [first, second] });
    expect(await broker.hears()).toEqual([{ type: 'confirmed', question: 4, over: [first] }]);
  });

  it('T3 shows each change of what it waits for, once', async () => {
    const { turn } = call();
    const number = await ticket();
    for (const reason of ['lane', 'lane', 'cells', 'genes', 'relaunching', 'lane'] as const) {
      broker.tell({ type: 'queued', ticket: number, reason });
    }
    await settled();
    const waits = thread.probes.filter((probe) => probe.name === 'turn.waiting');
    expect(waits.map(({ mind: name, room, reason }) => [name, room, reason])).toEqual(
      ['lane', 'cells', 'genes', 'relaunching', 'lane'].map((reason) => ['ada', 'main', reason]),
    );
    expect(turn).toBeGreaterThan(0);
  });

  it('T7 has its waits on the receipt, by reason', async () => {
    const called = call();
    const number = await ticket();
    broker.tell({ type: 'queued', ticket: number, reason: 'lane' });
    await thread.pass(100);
    broker.tell({ type: 'queued', ticket: number, reason: 'cells' });
    await thread.pass(30);
    broker.tell({ type: 'queued', ticket: number, reason: 'lane' });
    await thread.pass(5);
    grant(number, 1);
    await settled();
    done(1);
    expect((await called.answer).receipt.waits).toEqual({ lane: 105, cells: 30 });
  });

  it('T8 starts when the one before it in its room has ended', async () => {
    const first = call();
    call();
    const number = await ticket();
    grant(number, 1);
    await settled();
    expect(await broker.hears()).toEqual([]);
    done(1);
    expect(await broker.hears()).toMatchObject([{ type: 'request' }]);
    expect(first.ended).toMatchObject({ outcome: 'stop' });
  });

  it('T8 whose request crosses with a cancel never asks for a lane', async () => {
    thread.ask(mind, { type: 'cancel', turn: numbers + 1 }, Band.reserved).catch(() => {});
    const called = call();
    expect(await called.answer).toMatchObject({ outcome: 'aborted' });
    expect(await broker.hears()).toEqual([]);
  });

  it('E4 that has ended is not cancelled again, nor is a later one', async () => {
    const first = call();
    grant(await ticket(), 1);
    await settled();
    done(1);
    await first.answer;
    engine.tell({ type: 'cancel', turn: first.turn } as never);
    const second = call();
    grant(await ticket(), 2);
    await settled();
    done(2);
    expect(await second.answer).toMatchObject({ outcome: 'stop' });
  });
});

describe('the end of a turn', () => {
  it('E4 a cancel while it waits withdraws it', async () => {
    const called = call();
    const number = await ticket();
    reader.tell({ type: 'cancel', turn: called.turn });
    expect(await broker.hears()).toEqual([{ type: 'withdraw', ticket: number }]);
    expect(called.ended).toMatchObject({ outcome: 'aborted', error: undefined });
  });

  it('E4 a cancel while it runs goes to the engine, which has the last word', async () => {
    const called = call();
    grant(await ticket(), 1);
    await engine.hears();
    reader.tell({ type: 'cancel', turn: called.turn });
    expect(await engine.hears()).toEqual([{ type: 'cancel', grant: 1, error: undefined }]);
    expect(called.ended).toBeUndefined();
    done(1, { outcome: 'aborted', text: 'As far', reply: Int32Array.of(1) });
    expect(await called.answer).toMatchObject({ outcome: 'aborted', text: 'As far' });
  });

  it('T8 a deadline counts from the call, not from when the mind hears of it', async () => {
    await thread.pass(500);
    const called = call({ calledAt: 200, deadlineMs: 1_000 });
    await thread.pass(699);
    expect(called.ended).toBeUndefined();
    await thread.pass(2);
    expect(called.ended).toMatchObject({
      outcome: 'failed',
      error: { code: 'DeadlineExceeded', detail: { deadlineMs: 1_000 } },
      receipt: { totalMs: expect.any(Number) },
    });
  });

  it('T8 a deadline ends the run, with the text so far', async () => {
    const called = call({ deadlineMs: 1_000 });
    grant(await ticket(), 1);
    await engine.hears();
    await thread.pass(1_001);
    const [cancel] = (await engine.hears()) as [EngineControl & { type: 'cancel' }];
    expect(cancel).toMatchObject({ type: 'cancel', error: { code: 'DeadlineExceeded' } });
    done(1, { outcome: 'failed', error: cancel.error, text: 'Well now' });
    expect(await called.answer).toMatchObject({ outcome: 'failed', text: 'Well now' });
  });

  it('R4 a broker that was started again is asked anew by who waits, and what it granted before is void', async () => {
    const waiting = call({ room: 'b' });
    const number = await ticket();
    const error = { code: 'EngineLost', message: '', detail: { reason: 'again' }, stack: undefined };
    broker.tell({ type: 'restarted', error });
    const [withdrawn, request] = await broker.hears();
    expect(withdrawn).toEqual({ type: 'withdraw', ticket: number });
    expect(request).toMatchObject({ type: 'request', activity: `${mind}/b` });
    grant(number, 2);
    expect(await engine.hears()).toEqual([]);
    grant((request as { ticket: number }).ticket, 3);
    expect(await engine.hears()).toMatchObject([{ type: 'run', grant: 3 }]);
    expect(waiting.ended).toBeUndefined();
  });

  it('T8 a mind that leaves ends its turns, those that wait first, and starts none', async () => {
    const turns = [call(), call(), call({ room: 'other' })];
    const [first] = (await broker.hears()) as { ticket: number }[];
    grant((first as { ticket: number }).ticket, 1);
    await engine.hears();
    await thread.ask(mind, { type: 'leave' }, Band.reserved);
    for (const { answer } of turns) expect(await answer).toMatchObject({ outcome: 'aborted' });
    expect(await engine.hears()).toEqual([{ type: 'cancel', grant: 1, error: undefined }]);
    expect((await broker.hears()).map(({ type }) => type)).toEqual(['withdraw']);
  });
});

describe('a transcript', () => {
  /** What was handed over, as [message, reply, broken off]. */
  const said = async () =>
    [...(await thread.saved(mind)).values()].map((exchange) => {
      const { user, reply } = exchange as {
        user: { content: string };
        reply: { content: string; brokenOff: boolean };
      };
      return [user.content, reply.content, reply.brokenOff];
    });
  async function run(text: string, given: Partial<RunDone>): Promise<Run> {
    const { answer } = call({ text });
    const number = ++numbers;
    grant(await ticket(), number);
    const [started] = (await engine.hears()) as [Run];
    done(number, given);
    await answer;
    await settled();
    return started;
  }

  it('T8 has each exchange, and marks a reply that was broken off', async () => {
    await run('One.', { text: 'Whole.', outcome: 'stop' });
    await run('Two.', { text: 'Long', outcome: 'length' });
    await run('Three.', { text: 'Cut', outcome: 'aborted' });
    await run('Four.', { text: 'Failed', outcome: 'failed' });
    expect(await said()).toEqual([
      ['One.', 'Whole.', false],
      ['Two.', 'Long', false],
      ['Three.', 'Cut', true],
      ['Four.', 'Failed', true],
    ]);
  });

  it('T8 has an empty reply, for it was one, but not a turn that was ended before it said anything', async () => {
    await run('One.', { outcome: 'stop' });
    await run('Two.', { outcome: 'aborted' });
    expect(await said()).toEqual([['One.', '', false]]);
  });

  it('E5 gives the next prompt the tokens of the reply as they were produced', async () => {
    const reply = model.tokenize('Whole', { special: false, continues: true });
    const odd = Int32Array.from([...reply].reverse());
    const first = await run('One.', { text: 'elohW', reply: odd, outcome: 'stop' });
    const second = await run('Two.', { text: 'Yes.', outcome: 'stop' });
    const begins = [...first.tokens, ...odd];
    expect([...second.tokens.slice(0, begins.length)]).toEqual(begins);
  });

  it('R4 is what a mind that crashed goes on with; its turns in hand fail', async () => {
    await run('One.', { text: 'Whole.', outcome: 'stop' });
    const lost = call({ text: 'Two.' });
    const before = await ticket();
    await crash();
    expect(await broker.hears()).toEqual([{ type: 'forget' }]);
    expect(lost.ended).toMatchObject({ code: 'ActorCrashed' });
    const next = call({ text: 'Three.' });
    const after = await ticket();
    expect(after).toBeGreaterThan(before);
    grant(after, ++numbers);
    const [started] = (await engine.hears()) as [Run];
    const prompt = new TextDecoder().decode(model.detokenize(started.tokens, false));
    expect(prompt).toContain('Whole.');
    expect(prompt).not.toContain('Two.');
    done(numbers, { text: 'Yes.' });
    await next.answer;
  });
});

describe('a reader', () => {
  it('T8 is named to the engine, which sends it the pieces straight', async () => {
    const { turn } = call();
    grant(await ticket(), 1);
    expect(await engine.hears()).toMatchObject([{ type: 'run', reader: reader.id, turn }]);
  });
});

describe('what a mind holds', () => {
  it('R2 is at most 1,024 turns; more are refused', async () => {
    const turns = Array.from({ length: 1_024 }, () => call());
    await settled(60);
    await expect(call().answer).rejects.toMatchObject({ code: 'MailboxFull', detail: { bound: 1_024 } });
    expect(turns.every(({ ended }) => ended === undefined)).toBe(true);
    await thread.ask(mind, { type: 'leave' }, Band.reserved);
  });
});
