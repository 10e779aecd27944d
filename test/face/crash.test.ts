/** What goes on when a thread or an actor dies under a troupe. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MOST_LOSSES } from '../../src/actors/mind/runs.js';
import type { Mind, Troupe, Turn } from '../../src/index.js';
import { Band, type Message } from '../../src/runtime/message.js';
import { clear, sharedTroupe } from './shared.js';
import {
  actorOf,
  begun,
  circling,
  ENDLESS,
  folder,
  greedy,
  piecesOf,
  probesOf,
  running,
  systemOf,
  threadOf,
  until,
  writeLongModel,
} from './stage.js';

const CONTEXT = 8_192;
let place: ReturnType<typeof folder>;
let model: string;
beforeAll(() => {
  place = folder();
  model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
});
afterAll(() => place[Symbol.dispose]());

let troupe: Troupe;
let minds: Mind[];
/** What each mind says to this, undisturbed. */
const QUESTION = 'Good evening.';
let said: string;
/** How an endless reply begins. */
let circle = '';
beforeEach(async () => {
  troupe = await sharedTroupe(2, { model, context: CONTEXT, hosts: 2 });
  minds = await Promise.all([0, 1, 2].map((i) => troupe.mind(`mind ${i}`, { sampling: circling })));
  said = (await (minds[0] as Mind).turn(QUESTION, { room: 'before', maxTokens: 30 }).result).text;
  circle ||= (await (minds[0] as Mind).turn(ENDLESS, { room: 'circle', maxTokens: 600 }).result).text;
});
afterEach(async () => {
  await until(() => running(troupe) === 0, 'a troupe at rest');
  await clear();
});
/** A thread and an actor of a troupe may be lost five times within a minute: those that follow have another one. */
const haveTheirOwn = (): void => afterAll(() => troupe.stop());

const [first, second, third] = [0, 1, 2].map((i) => () => minds[i] as Mind) as [
  () => Mind,
  () => Mind,
  () => Mind,
];
const endless = (mind: Mind, room = 'main'): Turn => mind.turn(ENDLESS, { room, maxTokens: 7_000 });
const kill = (thread: string): Promise<void> => systemOf(troupe).terminateThread(threadOf(troupe, thread));
const tell = (actor: string, message: Message, band: Band = Band.reserved): boolean =>
  systemOf(troupe).tell(actorOf(troupe, actor), message, { band });
/** A message that its receiver cannot handle. */
const crash = {
  engine: () => tell('engine', { type: 'vacate', claims: null }),
  /** When a lane comes free, and that is what this asks for. */
  broker: () =>
    tell('broker', { type: 'request', ticket: 0, activity: 'x', class: 'realtime', cells: 1n, genes: [] }),
  mind: (mind: Mind) =>
    systemOf(troupe).tell(mind.id, {
      type: 'turn',
      turn: 0,
      room: 'x',
      text: 'x',
      deadlineMs: 5n,
      calledAt: 0,
    }),
};
/** Every mind answers as it would have, and every lane can be used. */
async function allIsWell(): Promise<void> {
  const room = `after ${Math.random()}`;
  const turns = minds.map((mind) => mind.turn(QUESTION, { room, maxTokens: 30 }));
  for (const turn of turns) expect(await turn.result).toMatchObject({ text: said, error: undefined });
  const both = [first(), second()].map((mind) => endless(mind, `${room} both`));
  await Promise.all(both.map(begun));
  expect(running(troupe)).toBe(2);
  for (const turn of both) turn.cancel();
  for (const turn of both) expect((await turn.result).outcome).toBe('aborted');
}
/** A turn that a reader has more and more of. */
async function goesOn(turn: Turn): Promise<void> {
  const had = turn.text.length;
  await until(() => turn.text.length > had + 500, 'a turn that goes on');
}
/**
 * It lost an engine and went on: nothing is missing in what it said, and nothing is there twice. `broken`: how the run that it
 * lost may have ended.
 */
async function endsWholeAfter(turn: Turn, broken: readonly string[]): Promise<void> {
  await goesOn(turn);
  turn.cancel();
  const { outcome, error, text, receipt } = await turn.result;
  expect([outcome, error]).toEqual(['aborted', undefined]);
  const [first, ...later] = receipt.runs.map((run) => run.outcome);
  expect(broken).toContain(first);
  expect(later).toEqual(['aborted']);
  expect(text.slice(0, circle.length)).toBe(circle.slice(0, text.length));
}
const endsWhole = (turn: Turn): Promise<void> => endsWholeAfter(turn, ['lost']);
const transcriptGoesOn = async (mind: Mind, atLeast: number): Promise<void> => {
  const { receipt, error } = await mind.turn('And then?', { maxTokens: 3 }).result;
  expect([error, receipt.promptTokens > atLeast]).toEqual([undefined, true]);
};

describe("the engine's thread", () => {
  haveTheirOwn();

  test('E7 turns that run go on where their readers are, and say what they would have said', async () => {
    const turns = [endless(first()), endless(second())];
    await Promise.all(turns.map(begun));
    await kill('engine');
    await Promise.all(turns.map(endsWhole));
    await until(() => running(troupe) === 0, 'lanes at rest');
    await transcriptGoesOn(first(), 30);
    await allIsWell();
    expect(troupe.inspect().threads.find((thread) => thread.name === 'engine')).toMatchObject({
      alive: true,
      restarts: 1,
    });
  });

  test('E7 turns that wait go on waiting, and are answered by the next engine', async () => {
    using waits = probesOf(troupe, 'turn.waiting');
    const turns = [endless(first()), endless(second())];
    await Promise.all(turns.map(begun));
    const waiting = third().turn(QUESTION, { maxTokens: 30 });
    await until(() => waits.seen.some((probe) => probe.mind === third().name), 'a waiting turn');
    await kill('engine');
    await Promise.all(turns.map(endsWhole));
    expect(await waiting.result).toMatchObject({ text: said, error: undefined });
    const { waits: waited } = (await waiting.result).receipt;
    expect(Object.keys(waited).sort()).toEqual(['lane', 'relaunching']);
    await allIsWell();
  });

  test('E7 turns that are called while it is away wait for it, within their deadline', async () => {
    await kill('engine');
    const turns = minds.map((mind) => mind.turn(QUESTION, { room: 'while', maxTokens: 30 }));
    const late = first().turn(QUESTION, { room: 'late', deadline: 1 });
    for (const turn of turns) expect(await turn.result).toMatchObject({ text: said });
    expect((await late.result).error?.code).toBe('DeadlineExceeded');
    await allIsWell();
  });

  test('E7 a cancel while it is away ends the turn', async () => {
    const turns = [endless(first()), endless(second())];
    await Promise.all(turns.map(begun));
    const waiting = third().turn(QUESTION);
    await kill('engine');
    for (const turn of [waiting, ...turns]) turn.cancel();
    for (const turn of [waiting, ...turns]) expect((await turn.result).outcome).toBe('aborted');
    expect((await turns[0]?.result)?.text).not.toBe('');
    await allIsWell();
  });
});

describe("the engine's thread, again and again", () => {
  haveTheirOwn();

  test('E7 a turn that loses it again and again fails with EngineLost and what it had said', async () => {
    const turn = endless(first());
    await begun(turn);
    for (let i = 0; i <= MOST_LOSSES; i++) {
      if (i > 0) await goesOn(turn);
      await kill('engine');
    }
    const { outcome, error, text, receipt } = await turn.result;
    expect([outcome, error?.code]).toEqual(['failed', 'EngineLost']);
    expect(receipt.runs.map((run) => run.outcome)).toEqual(Array(MOST_LOSSES + 1).fill('lost'));
    expect(text.slice(0, circle.length)).toBe(circle.slice(0, text.length));
    await allIsWell();
    await transcriptGoesOn(first(), 0);
  });

  test('E7 what was said before it was lost is prompted again', async () => {
    const before = await first().turn(QUESTION, { maxTokens: 30 }).result;
    await kill('engine');
    const after = await first().turn('And then?', { maxTokens: 3 }).result;
    expect(after.receipt.runs[0]).toMatchObject({ reused: 0, processed: after.receipt.promptTokens });
    expect(after.receipt.promptTokens).toBeGreaterThan(before.receipt.promptTokens + 30);
  });
});

describe('the engine', () => {
  test('E7 a crash of it alone is as the loss of its thread', async () => {
    const turns = [endless(first()), endless(second())];
    await Promise.all(turns.map(begun));
    const waiting = third().turn(QUESTION, { maxTokens: 30 });
    crash.engine();
    await Promise.all(turns.map(endsWhole));
    expect(await waiting.result).toMatchObject({ text: said, error: undefined });
    await allIsWell();
    expect(troupe.inspect().actors.find((actor) => actor.name === 'engine')).toMatchObject({
      restarts: 1,
      lastError: expect.stringContaining('not iterable'),
    });
  });
});

describe('the broker', () => {
  test('R4 a crash of it breaks no turn, be it running or waiting', async () => {
    const turns = [endless(first()), endless(second())];
    await Promise.all(turns.map(begun));
    const waiting = third().turn(QUESTION, { maxTokens: 30 });
    await until(
      () => troupe.inspect().actors.some((actor) => actor.id === third().id && actor.waitsFor !== undefined),
      'a waiting turn',
    );
    crash.broker();
    turns[1]?.cancel();
    // The next broker tells the engine and the mind; the engine's last word may come to the mind first.
    await endsWholeAfter(turns[0] as Turn, ['lost', 'reclaimed']);
    expect((await turns[1]?.result)?.outcome).toBe('aborted');
    expect(await waiting.result).toMatchObject({ text: said, error: undefined });
    await allIsWell();
  });
});

describe('a mind', () => {
  test('T6 a crash of it in mid-turn fails that turn and frees its lane', async () => {
    await first().turn(QUESTION, { maxTokens: 30 }).result;
    const turn = endless(first());
    const other = endless(second());
    await Promise.all([begun(turn), begun(other)]);
    const waiting = third().turn(QUESTION, { maxTokens: 30 });
    crash.mind(first());
    const { outcome, error } = await turn.result;
    expect([outcome, error?.code]).toEqual(['failed', 'ActorCrashed']);
    expect(await waiting.result).toMatchObject({ text: said });
    expect(running(troupe)).toBe(1);
    other.cancel();
    await transcriptGoesOn(first(), 30);
    await allIsWell();
  });

  test('T6 a new turn of its crossing with the end of the old one is its own', async () => {
    const old = endless(first());
    await begun(old);
    crash.mind(first());
    expect(await first().turn(QUESTION, { maxTokens: 30 }).result).toMatchObject({ text: said });
    expect((await old.result).error?.code).toBe('ActorCrashed');
    await allIsWell();
  });

  test('T6 that crashes too often ends; its lane is free and its name can be given again', async () => {
    const turn = endless(first());
    await begun(turn);
    for (let i = 0; i < 6; i++) crash.mind(first());
    expect((await turn.result).outcome).toBe('failed');
    await until(() => !troupe.inspect().actors.some((actor) => actor.id === first().id), 'the end of a mind');
    expect((await first().turn(QUESTION).result).error?.code).toBe('MindLeft');
    await until(() => running(troupe) === 0, 'a free lane');
    const gone = first();
    minds[0] = await troupe.mind('mind 0', { sampling: circling });
    await first().turn(QUESTION, { maxTokens: 4 }).result;
    await first().pageOut();
    await troupe.pages.drop('mind 0');
    await gone.leave();
    await allIsWell();
  });
});

describe('a thread of minds', () => {
  test('T6 its minds fail their turns and free their lanes, then go on with what they know', async () => {
    const { thread } = troupe.inspect().actors.find((actor) => actor.id === first().id) as { thread: string };
    await first().turn(QUESTION, { maxTokens: 30 }).result;
    const there = minds.filter(
      (mind) => troupe.inspect().actors.find((actor) => actor.id === mind.id)?.thread === thread,
    );
    const elsewhere = minds.find((mind) => !there.includes(mind)) as Mind;
    const turn = endless(first());
    const other = endless(elsewhere);
    await Promise.all([begun(turn), begun(other)]);
    using restarts = probesOf(troupe, 'thread.restarted');
    await kill(thread);
    expect(await turn.result).toMatchObject({ outcome: 'failed', error: { code: 'ThreadLost' } });
    await until(() => running(troupe) === 1, 'a free lane');
    other.cancel();
    expect((await other.result).outcome).toBe('aborted');
    await until(() => restarts.seen.length > 0, 'its thread');
    await transcriptGoesOn(first(), 30);
    await allIsWell();
  });

  test('T6 a turn that is called while it is away fails with a typed error, and a mind can leave', async () => {
    const { thread } = troupe.inspect().actors.find((actor) => actor.id === first().id) as { thread: string };
    using restarts = probesOf(troupe, 'thread.restarted');
    await kill(thread);
    const turn = first().turn(QUESTION, { maxTokens: 30 });
    const left = first().leave();
    const { outcome } = await turn.result;
    expect(['failed', 'aborted', 'length']).toContain(outcome);
    await left;
    await until(() => restarts.seen.length > 0, 'its thread');
    minds[0] = await troupe.mind('mind 0', { sampling: circling });
    await allIsWell();
  });
});

describe('the control thread', () => {
  test('R4 its loss fails everything with a type, and the troupe can still be stopped', async () => {
    const turn = endless(first());
    await begun(turn);
    await kill('control');
    const { outcome, error } = await turn.result;
    expect([outcome, error?.code]).toEqual(['failed', 'ThreadLost']);
    await expect(piecesOf(turn)).rejects.toMatchObject({ code: 'ThreadLost' });
    await expect(troupe.mind('another', { sampling: greedy })).rejects.toMatchObject({ code: 'ThreadLost' });
    expect((await first().turn(QUESTION).result).error?.code).toBe('ThreadLost');
    await Promise.all(minds.map((mind) => mind.leave()));
    await troupe.stop();
  });
});
