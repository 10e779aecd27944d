/** The runs of one turn: reclaimed, lost with their engine, and gone on with. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MOST_LOSSES } from '../../../src/actors/mind/runs.js';
import type { NativeModel } from '../../../src/native/addon.js';
import { threadActor } from '../../../src/runtime/address.js';
import { Band } from '../../../src/runtime/message.js';
import { load, TINY } from '../../native/fixtures.js';
import { MindStage } from './stage.js';

let model: NativeModel;
beforeAll(() => {
  model = load(TINY);
});
afterAll(() => model.close());

let stage: MindStage;
beforeEach(async () => {
  stage = await MindStage.open(model.info.id);
});
afterEach(() => stage.close());

/** As the engine leaves a run that said so much, of which pieces have carried all but the last. */
const HALF = {
  outcome: 'reclaimed' as const,
  text: 'Half of it',
  reply: Int32Array.of(7, 8, 9),
  soFar: { tokens: Int32Array.of(7, 8, 9), carried: 7, carriedTokens: 2 },
  produced: 3,
};
const error = { code: 'EngineLost', message: '', detail: { reason: 'gone' }, stack: undefined };
const saved = async () =>
  [...(await stage.thread.saved(stage.mind)).values()].map((exchange) => {
    const { reply } = exchange as { reply: { content: string; brokenOff: boolean } };
    return [reply.content, reply.brokenOff];
  });

describe('a turn whose lane is wanted back', () => {
  it('B4 T2 says whether what its lane holds is to stay there', async () => {
    stage.call();
    const { ticket } = await stage.grant(1);
    stage.broker.tell({ type: 'reclaim', ticket, deadlineMs: 2_000, leftIn: 'lane' });
    expect(await stage.engine.hears()).toEqual([{ type: 'yield', grant: 1, leftIn: 'lane' }]);
  });

  it('T2 T3 has the engine end its run at once, and says so when it has', async () => {
    stage.call();
    const { ticket } = await stage.grant(1);
    stage.broker.tell({ type: 'reclaim', ticket, deadlineMs: 2_000, leftIn: 'page' });
    expect(await stage.engine.hears()).toEqual([{ type: 'yield', grant: 1, leftIn: 'page' }]);
    expect(await stage.broker.hears()).toEqual([]);
    stage.done(1, HALF);
    expect(await stage.broker.hears()).toMatchObject([
      { type: 'released', ticket },
      { type: 'request', class: 'interactive' },
    ]);
  });

  it('T4 waits again with its age, and goes on where it stopped', async () => {
    const called = stage.call();
    await stage.thread.pass(10);
    const first = await stage.grant(1);
    await stage.thread.pass(500);
    stage.done(1, HALF);
    const second = await stage.grant(2);
    expect(second.since).toBe(first.since);
    expect(second.run.tokens).toEqual(first.run.tokens);
    expect(second.run).toMatchObject({ soFar: HALF.soFar, maxTokens: first.run.maxTokens });
    expect(second.run.sampling.seed).toBe(first.run.sampling.seed);
    stage.done(2, { text: 'Half of it all', produced: 2 });
    const { outcome, text, receipt } = await called.answer;
    expect([outcome, text]).toEqual(['stop', 'Half of it all']);
    expect(receipt.runs.map((run) => [run.outcome, run.produced])).toEqual([
      ['reclaimed', 3],
      ['stop', 2],
    ]);
    expect(await saved()).toEqual([['Half of it all', false]]);
  });

  it("T4 ends with what there is, if it was called so: 'end'", async () => {
    const called = stage.call({ onReclaim: 'end' });
    await stage.grant(1);
    stage.done(1, HALF);
    expect(await called.answer).toMatchObject({
      ...{ outcome: 'reclaimed', error: undefined, text: HALF.text },
      receipt: { outcome: 'reclaimed', runs: [{ outcome: 'reclaimed' }] },
    });
    expect(await saved()).toEqual([['Half of it', true]]);
    expect(await stage.broker.hears()).toMatchObject([{ type: 'released' }]);
  });

  it('T4 keeps what it had when its next run does not begin', async () => {
    const called = stage.call();
    await stage.grant(1);
    stage.done(1, HALF);
    await stage.grant(2);
    stage.done(2, { begun: false, outcome: 'reclaimed' });
    const { run } = await stage.grant(3);
    expect(run.soFar).toEqual(HALF.soFar);
    stage.done(3, { begun: false, outcome: 'failed', error });
    expect(await called.answer).toMatchObject({ outcome: 'failed', text: HALF.text });
    expect(await saved()).toEqual([['Half of it', true]]);
  });

  it("T4 goes on after a run that was only sent back, also if it was called so: 'end'", async () => {
    stage.call({ onReclaim: 'end' });
    await stage.grant(1);
    stage.done(1, { begun: false, outcome: 'reclaimed', error });
    expect((await stage.grant(2)).run.soFar).toBeUndefined();
  });

  it('T4 fails rather than go on with other genes than it began with', async () => {
    const called = stage.call();
    const pinned = (gene: number) => [{ name: 'kjv', gene, scale: 1 }];
    await stage.grant(1, pinned(5));
    stage.done(1, HALF);
    expect((await stage.grant(2, pinned(5))).run.soFar).toEqual(HALF.soFar);
    stage.done(2, HALF);
    const { run } = await stage.grant(3, pinned(6));
    expect(run).toBeUndefined();
    expect(await called.answer).toMatchObject({
      outcome: 'failed',
      error: { code: 'OtherGenes' },
      text: HALF.text,
    });
    expect(await stage.broker.hears()).toMatchObject([{ type: 'withdraw' }]);
  });

  it('E4 T4 is cancelled while it waits again, with what there is', async () => {
    const called = stage.call();
    await stage.grant(1);
    stage.done(1, HALF);
    const { ticket } = await stage.asked('request');
    stage.reader.tell({ type: 'cancel', turn: called.turn });
    expect(await stage.broker.hears()).toEqual([{ type: 'withdraw', ticket }]);
    expect(await called.answer).toMatchObject({ outcome: 'aborted', text: HALF.text });
    expect(await saved()).toEqual([['Half of it', true]]);
  });

  it('E4 T4 is cancelled while its run is given up: it ends, and does not go on', async () => {
    const called = stage.call();
    const { ticket } = await stage.grant(1);
    stage.broker.tell({ type: 'reclaim', ticket, deadlineMs: 2_000, leftIn: 'page' });
    stage.reader.tell({ type: 'cancel', turn: called.turn });
    await stage.engine.hears();
    stage.done(1, HALF);
    expect(await called.answer).toMatchObject({ outcome: 'aborted', text: HALF.text });
    expect(await stage.broker.hears()).toMatchObject([{ type: 'released' }]);
  });

  it('T2 has none any more, and says so', async () => {
    const called = stage.call();
    const { ticket } = await stage.grant(1);
    stage.done(1);
    await called.answer;
    stage.broker.tell({ type: 'reclaim', ticket, deadlineMs: 2_000, leftIn: 'page' });
    expect(await stage.broker.hears()).toEqual([{ type: 'released', ticket }]);
  });
});

describe('a turn whose engine is lost', () => {
  const lose = async (grant: number): Promise<void> => {
    const { ticket } = await stage.grant(grant);
    stage.broker.tell({ type: 'revoked', ticket, error });
  };
  const read = (turn: number, grant: number): void =>
    stage.reader.tell({ type: 'read', turn, grant, text: 'Half of', tokens: [7, 8] });

  it('E7 asks its reader how far it has come, and goes on from there', async () => {
    const called = stage.call();
    await lose(1);
    expect(await stage.reader.hears()).toEqual([{ type: 'how-far', turn: called.turn, grant: 1 }]);
    read(called.turn, 1);
    const { run } = await stage.grant(2);
    expect(run.soFar).toEqual({ tokens: Int32Array.of(7, 8), carried: 7, carriedTokens: 2 });
    stage.done(2, { text: 'Half of it', produced: 1 });
    const { outcome, receipt } = await called.answer;
    expect(outcome).toBe('stop');
    expect(receipt.runs.map((each) => [each.outcome, each.produced])).toEqual([
      ['lost', 2],
      ['stop', 1],
    ]);
    expect(await saved()).toEqual([['Half of it', false]]);
  });

  it('E7 hears no late word of the run that was lost', async () => {
    const called = stage.call();
    await lose(1);
    stage.done(1, { text: 'Half of it', outcome: 'stop' });
    read(called.turn, 1);
    const { run } = await stage.grant(2);
    expect(run.soFar?.tokens).toEqual(Int32Array.of(7, 8));
  });

  it('E7 goes on with another one so often; then it fails, and what was said stays', async () => {
    const called = stage.call();
    for (let grant = 1; grant <= MOST_LOSSES + 1; grant++) {
      await lose(grant);
      await stage.reader.hears();
      read(called.turn, grant);
    }
    expect(await called.answer).toMatchObject({
      outcome: 'failed',
      text: 'Half of',
      error: { code: 'EngineLost' },
    });
    expect(await saved()).toEqual([['Half of', true]]);
  });

  it('R4 E7 goes on too where the broker was started again', async () => {
    const called = stage.call();
    await stage.grant(1);
    stage.broker.tell({ type: 'restarted', error });
    await stage.reader.hears();
    read(called.turn, 1);
    expect((await stage.grant(2)).run.soFar?.tokens).toEqual(Int32Array.of(7, 8));
  });

  it('E4 is cancelled while its reader is asked, and ends with what that has', async () => {
    const called = stage.call();
    await lose(1);
    stage.reader.tell({ type: 'cancel', turn: called.turn });
    await stage.reader.hears();
    expect(called.ended).toBeUndefined();
    read(called.turn, 1);
    expect(await called.answer).toMatchObject({ outcome: 'aborted', text: 'Half of' });
    expect(await saved()).toEqual([['Half of', true]]);
  });

  it('E4 T8 that says nothing after a cancel is waited for 5 s; then the reader is asked', async () => {
    const called = stage.call({ deadlineMs: 1_000 });
    await stage.grant(1);
    stage.reader.tell({ type: 'cancel', turn: called.turn });
    await stage.thread.pass(4_999);
    expect(await stage.reader.hears()).toEqual([]);
    await stage.thread.pass(2);
    expect(await stage.reader.hears()).toMatchObject([{ type: 'how-far' }]);
    read(called.turn, 1);
    expect(await called.answer).toMatchObject({ outcome: 'aborted', error: undefined });
  });

  it('E7 waits for the next one for 240 s, over any number of them', async () => {
    const called = stage.call();
    const { ticket } = await stage.asked('request');
    for (const reason of ['relaunching', 'lane', 'relaunching'] as const) {
      stage.broker.tell({ type: 'queued', ticket, reason });
      await stage.thread.pass(119_990);
    }
    expect(called.ended).toBeUndefined();
    await stage.thread.pass(21);
    expect(await called.answer).toMatchObject({ outcome: 'failed', error: { code: 'EngineLost' } });
    expect(await stage.broker.hears()).toEqual([{ type: 'withdraw', ticket }]);
  });

  it('T8 leaves: its turns end, whatever the reader says', async () => {
    const called = stage.call();
    await lose(1);
    await stage.thread.ask(stage.mind, { type: 'leave' }, Band.reserved);
    expect(await called.answer).toMatchObject({ outcome: 'aborted', text: undefined });
  });
});

describe('a turn whose run cannot be sent', () => {
  /** On a thread to which there is no line. */
  const ENGINE = threadActor(9);
  let away: MindStage;
  beforeEach(async () => {
    away = await MindStage.open(model.info.id, ENGINE);
  });
  afterEach(() => away.close());

  it('E7 T7 gives its lane back, and asks again in a moment', async () => {
    away.call();
    const { ticket } = await away.grant(1);
    expect(await away.broker.hears()).toEqual([{ type: 'withdraw', ticket }]);
    await away.thread.pass(50);
    const { ticket: next } = await away.asked('request');
    expect(next).toBeGreaterThan(ticket);
  });

  it('T8 ends at once when it is cancelled meanwhile, and asks for nothing', async () => {
    const called = away.call();
    await away.grant(1);
    away.reader.tell({ type: 'cancel', turn: called.turn });
    expect(await called.answer).toMatchObject({ outcome: 'aborted', receipt: { runs: [] } });
    await away.thread.pass(50);
    expect((await away.broker.hears()).map(({ type }) => type)).toEqual(['withdraw']);
  });
});
