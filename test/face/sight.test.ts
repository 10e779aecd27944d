/** R6 field by field, of a running troupe: an actor of the user, a mind, and the engine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor, ActorReport, Message, Mind, Troupe, Turn } from '../../src/index.js';
import { Band } from '../../src/index.js';
import { actorModule, eventually, failure } from '../runtime/stage.js';
import { actorOf, begun, circling, ENDLESS, startTroupe, systemOf } from './stage.js';

const module = actorModule('puppet');
let troupe: Troupe;
let puppet: Actor;
let other: Actor;
let ada: Mind;
let bo: Mind;
beforeAll(async () => {
  troupe = await startTroupe({ lanes: 1 });
  puppet = await troupe.actor('puppet', module);
  other = await troupe.actor('other', module);
  ada = await troupe.mind('ada');
  bo = await troupe.mind('bo');
});
afterAll(() => troupe.stop());

const seen = (id: number): ActorReport =>
  troupe.inspect().actors.find((actor) => actor.id === id) as ActorReport;
const engine = (): number => actorOf(troupe, 'engine');
const tell = (to: number, message: Message): boolean =>
  systemOf(troupe).tell(to, message, { band: Band.reserved });
const said = async (mind: Mind): Promise<unknown> =>
  (await mind.turn('Hello.', { maxTokens: 2 }).result).outcome;
/** What the first few events of a trace say, once one is like this. */
async function traced(name: string, last: string, work: () => Promise<unknown>): Promise<string[]> {
  const trace = troupe.trace({ actor: name, ms: 60_000 });
  const worked = work();
  const events: string[] = [];
  for await (const { event, type } of trace) {
    events.push(`${type} ${event}`);
    if (events.at(-1) === last) break;
  }
  await worked;
  return events;
}

describe('R6 an actor of the user', () => {
  it('R6 shows its depths, its oldest message, what it has in hand and waits for, and for how long', async () => {
    const { id } = puppet;
    const options = { deadlineMs: 60_000, reason: 'a word' };
    const message = { type: 'hold' };
    const held = puppet.ask({ type: 'forward', to: other.id, message, options }, { deadlineMs: 60_000 });
    puppet.tell({ type: 'note', value: 'a secret' });
    puppet.tell({ type: 'note', value: 2 });
    await eventually(() => {
      const { depth, oldestMs, inHand, waitsFor } = seen(id);
      return depth.user === 2 && oldestMs > 0 && inHand && waitsFor && inHand.forMs > 0 && waitsFor.forMs > 0;
    });
    expect(seen(id)).toMatchObject({
      name: 'puppet',
      kind: 'puppet',
      thread: 'host-0',
      state: 'awaiting',
      depth: { system: 0, control: 0, user: 2 },
      inHand: { type: 'forward' },
      waitsFor: { reason: 'a word', on: other.id, leftMs: expect.any(Number) },
    });
    const main = actorOf(troupe, 'thread/main');
    const peeked = await troupe.peek(id, { preview: true });
    expect(peeked).toMatchObject({
      inHand: { type: 'forward', band: 'user' },
      queued: [
        { type: 'note', from: main, sizeBytes: 12, preview: 'note {value: <8 characters>}' },
        { type: 'note', from: main, preview: 'note {value: 2}' },
      ],
      waits: [{ reason: 'a word', on: other.id }],
    });
    expect(JSON.stringify([peeked, troupe.inspect()])).not.toContain('secret');
    expect(JSON.stringify(await troupe.peek(id))).not.toContain('preview');
    other.tell({ type: 'let-go' }, { band: Band.control });
    expect(await held).toBe('held');
  });

  it('R6 shows what it has handled and how long that took, its crashes and the last error', async () => {
    const before = seen(puppet.id);
    await puppet.ask({ type: 'echo' });
    expect(seen(puppet.id).processed).toBeGreaterThan(before.processed);
    expect(before.handlerMs).toEqual({ p50: expect.any(Number), p99: expect.any(Number) });
    await failure(puppet.ask({ type: 'crash', why: 'no such file' }));
    await puppet.ask({ type: 'echo' });
    expect(seen(puppet.id)).toMatchObject({ restarts: before.restarts + 1, lastError: 'no such file' });
  });

  it('R6 is traced', async () => {
    const events = await traced('puppet', 'echo done', () => puppet.ask({ type: 'echo' }));
    expect(events).toEqual(expect.arrayContaining(['echo taken', 'echo done']));
  });
});

describe('R6 a mind', () => {
  it('R6 shows what it waits for and since when, and its queue while its thread is busy with another', async () => {
    const holding: Turn = bo.turn(ENDLESS, { maxTokens: 400, sampling: circling });
    await begun(holding);
    const waiting = ada.turn('Good evening.', { maxTokens: 2 });
    await eventually(
      () => seen(ada.id).waitsFor?.reason === 'lane' && (seen(ada.id).waitsFor?.forMs ?? 0) > 0,
    );
    expect(seen(ada.id)).toMatchObject({
      kind: 'mind',
      thread: 'host-0',
      waitsFor: { on: actorOf(troupe, 'broker'), leftMs: expect.any(Number) },
    });
    expect(troupe.why('ada').sentence).toMatch(
      /^ada waits .+ for broker \(lane\): broker has given lane 0 to bo/,
    );
    expect((await troupe.peek(ada.id)).waits).toMatchObject([
      { reason: 'lane', on: actorOf(troupe, 'broker') },
    ]);

    const until = new Int32Array(new SharedArrayBuffer(4));
    const message = { type: 'turn', turn: -1, room: 'main', text: 'a secret', deadlineMs: 1, calledAt: 0 };
    puppet.tell({ type: 'tell', to: ada.id, message });
    const spun = puppet.ask({ type: 'spin', until }, { deadlineMs: 60_000 });
    await eventually(() => seen(puppet.id).inHand?.type === 'spin');
    await eventually(() => seen(ada.id).depth.user === 1 && seen(ada.id).oldestMs > 0);
    Atomics.store(until, 0, 1);
    await spun;
    holding.cancel();
    await Promise.all([holding.result, waiting.result]);
  });

  it('R6 shows what it has handled and how long that took, its crashes and the last error', async () => {
    expect(await said(ada)).toBe('length');
    const before = seen(ada.id);
    expect(before.processed).toBeGreaterThan(0);
    expect(before.handlerMs).toEqual({ p50: expect.any(Number), p99: expect.any(Number) });
    // It cannot take this.
    systemOf(troupe).tell(ada.id, {
      type: 'turn',
      turn: 0,
      room: 'x',
      text: 'x',
      deadlineMs: 5n,
      calledAt: 0,
    });
    await eventually(() => seen(ada.id).restarts === before.restarts + 1 && seen(ada.id).state === 'idle');
    expect(seen(ada.id).lastError).toMatch(/BigInt/);
    expect(await said(ada)).toBe('length');
  });

  it('R6 is traced', async () => {
    expect(await traced('ada', 'turn done', () => said(ada))).toContain('turn taken');
  });
});

describe('R6 the engine', () => {
  it('R6 shows its thread, what it has handled and how long that took, its crashes and the last error', async () => {
    expect(await said(bo)).toBe('length');
    const before = seen(engine());
    expect(before).toMatchObject({
      kind: 'engine',
      thread: 'engine',
      depth: { system: 0, control: 0, user: 0 },
    });
    expect(before.processed).toBeGreaterThan(0);
    expect(before.handlerMs).toEqual({ p50: expect.any(Number), p99: expect.any(Number) });
    tell(engine(), { type: 'vacate', drop: [], claims: null });
    await eventually(
      () => seen(engine()).restarts === before.restarts + 1 && seen(engine()).state === 'idle',
    );
    expect(seen(engine()).lastError).toMatch(/is not iterable/);
    expect(await said(bo)).toBe('length');
  });

  it('R6 is peeked at and traced while it works', async () => {
    const turn = bo.turn(ENDLESS, { maxTokens: 400, sampling: circling });
    await begun(turn);
    expect(await troupe.peek(engine())).toMatchObject({ name: 'engine', more: 0 });
    expect(troupe.why('bo').sentence).toBe('bo has lane 0, on which engine works.');
    turn.cancel();
    await turn.result;
    expect(await traced('engine', 'run done', () => said(bo))).toContain('run taken');
  });
});
