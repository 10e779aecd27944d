import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PEEK_MESSAGES } from '../../src/runtime/defaults.js';
import { Band } from '../../src/runtime/message.js';
import { eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

describe('R6 inspect', () => {
  test('R6 shows of an idle actor who and where it is, and what it has done', async () => {
    const id = await stage.spawn(HOST_A, {}, 'ada');
    for (let i = 0; i < 130; i++) await stage.ask(id, { type: 'echo' });
    expect(stage.report(id)).toMatchObject({
      id,
      name: 'ada',
      kind: 'puppet',
      thread: 'host-a',
      state: 'idle',
      depth: { system: 0, control: 0, user: 0 },
      oldestMs: 0,
      inHand: undefined,
      waitsFor: undefined,
      processed: 130,
      handlerMs: { p50: expect.any(Number), p99: expect.any(Number) },
      restarts: 0,
      startsInMs: undefined,
      lastError: undefined,
    });
  });

  test('R6 shows depths, the oldest message, the message in hand, what it waits for and who can end that', async () => {
    const [id, other] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const options = { reason: 'a good word', deadlineMs: 9_000 };
    const answer = stage.ask(id, { type: 'forward', to: other, message: { type: 'hold' }, options });
    for (let i = 0; i < 5; i++) stage.system.tell(id, { type: 'note', value: i });
    const report = await eventually(() => {
      const now = stage.report(id);
      return now?.waitsFor !== undefined && now.depth.user === 5 && now.oldestMs > 20 ? now : undefined;
    });
    expect(report).toMatchObject({ state: 'awaiting', inHand: { type: 'forward' } });
    expect(report.waitsFor).toMatchObject({ reason: 'a good word', on: other });
    expect(report.inHand?.forMs).toBeGreaterThanOrEqual(20);
    expect(report.waitsFor?.forMs).toBeGreaterThanOrEqual(20);
    expect(report.waitsFor?.leftMs).toBeLessThan(9_000);
    stage.system.tell(other, { type: 'let-go' }, { band: Band.control });
    await answer;
    await eventually(() => stage.report(id)?.depth.user === 0);
    expect(stage.report(id)).toMatchObject({ inHand: undefined, waitsFor: undefined, oldestMs: 0 });
  });

  test('R6 shows the oldest of several waits', async () => {
    const id = await stage.spawn(HOST_A);
    for (const [reason, on] of [
      ['lane', 9],
      ['genes', 8],
    ] as const) {
      await stage.ask(id, { type: 'wait', for: on, reason, deadlineMs: 1_000 });
    }
    expect(stage.report(id)?.waitsFor).toMatchObject({ reason: 'lane', on: 9 });
    expect((await stage.system.peek(id)).waits).toMatchObject([
      { reason: 'lane', on: 9 },
      { reason: 'genes', on: 8 },
    ]);
  });

  test('R6 shows crashes and the last error', async () => {
    const id = await stage.spawn(HOST_A);
    await failure(stage.ask(id, { type: 'crash', why: 'one' }));
    await failure(stage.ask(id, { type: 'crash', why: 'two' }));
    await eventually(() => stage.report(id)?.state === 'idle');
    expect(stage.report(id)).toMatchObject({ restarts: 2, lastError: 'two' });
  });

  test('R6 is live of a thread that spins: which actor, in which message, for how long, and who queues there', async () => {
    const [id, queued] = await Promise.all([stage.spawn(HOST_B), stage.spawn(HOST_B)]);
    const begun = performance.now();
    const letGo = await stage.spin(id);
    stage.system.tell(queued, { type: 'note', value: 1 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const report = stage.report(id);
    expect(report).toMatchObject({ state: 'handling', inHand: { type: 'spin' } });
    expect(report?.inHand?.forMs).toBeGreaterThanOrEqual(50);
    expect(report?.inHand?.forMs).toBeLessThanOrEqual(performance.now() - begun + 5);
    expect(stage.system.inspect().threads[HOST_B]?.sinceSliceMs).toBeGreaterThanOrEqual(50);
    await letGo();
    expect(stage.report(id)).toMatchObject({ state: 'idle', inHand: undefined });
  });

  test('R6 shows the threads', () => {
    expect(
      stage.system
        .inspect()
        .threads.map(({ number, name, alive, restarts }) => [number, name, alive, restarts]),
    ).toEqual([
      [0, 'main', true, 0],
      [1, 'control', true, 0],
      [2, 'host-a', true, 0],
      [3, 'host-b', true, 0],
    ]);
  });
});

describe('R6 peek', () => {
  test('R6 lists what is queued: band, type, sender, age and size, in the order it will be handled', async () => {
    const [id, sender] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const held = stage.ask(id, { type: 'hold' });
    await eventually(() => stage.report(id)?.state === 'awaiting');
    const text = 'x'.repeat(1_000);
    const message = { type: 'note', value: text };
    await stage.ask(sender, { type: 'tell', to: id, message });
    await eventually(() => (stage.report(id)?.depth.user ?? 0) === 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const report = await stage.system.peek(id);
    expect(report).toMatchObject({
      id,
      inHand: { band: 'user', type: 'hold' },
      queued: [{ band: 'user', type: 'note', from: sender, sizeBytes: 1_004 }],
      more: 0,
    });
    expect(report.queued[0]?.ageMs).toBeGreaterThanOrEqual(25);
    expect(JSON.stringify(report)).not.toContain('xxx');
    const shown = await stage.system.peek(id, true);
    expect(shown.queued[0]?.preview).toBe('note {value: <1000 characters>}');
    stage.system.tell(id, { type: 'let-go' }, { band: Band.control });
    await held;
  });

  test('R6 is bounded in messages and in what a message may cost', async () => {
    const id = await stage.spawn(HOST_A);
    const held = stage.ask(id, { type: 'hold' });
    await eventually(() => stage.report(id)?.state === 'awaiting');
    const list = Array.from({ length: 200_000 }, (_, i) => i);
    stage.system.tell(id, { type: 'note', value: list, big: 12n });
    for (let i = 0; i < PEEK_MESSAGES + 9; i++) stage.system.tell(id, { type: 'note', value: i });
    const report = await stage.system.peek(id, true);
    expect([report.queued.length, report.more]).toEqual([PEEK_MESSAGES, 10]);
    expect(Math.max(...report.queued.map(({ preview }) => preview?.length ?? 0))).toBeLessThan(200);
    stage.system.tell(id, { type: 'let-go' }, { band: Band.control });
    await held;
  });

  test('R6 of nobody fails at once', async () => {
    const id = await stage.spawn(HOST_A);
    await stage.system.stopActor(id, 'enough');
    expect(await failure(stage.system.peek(id))).toMatchObject({ code: 'ActorEnded' });
    expect(await failure(stage.system.peek(77))).toMatchObject({ code: 'ActorEnded' });
  });
});
