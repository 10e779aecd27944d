import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LINK_OUTBOX, LINK_WINDOW, MAILBOX_BOUND } from '../../src/runtime/defaults.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { eventually, failure, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

const FLOOD = 200_000;

describe('R2 a flood from another thread', () => {
  test.each([
    ['user', Band.user, LINK_WINDOW + LINK_OUTBOX, LINK_WINDOW],
    ['control', Band.control, LINK_WINDOW, LINK_WINDOW],
  ] as const)(
    'R2 of %s messages piles up nowhere: what a busy thread is sent stays under the window',
    async (_, band, accepted, onTheWay) => {
      const lab = await Lab.open(3);
      const id = await lab.spawn(2, { receive: () => undefined, control: () => undefined });
      const from = await lab.spawn(0, {});
      lab.busy.add(2);
      let taken = 0;
      for (let i = 0; i < FLOOD; i++) {
        if (lab.thread(0).router.tell(from, id, { type: 'm' }, band)) taken++;
        if (i % 10_000 === 0) await lab.run();
      }
      await lab.run();
      expect(taken).toBe(accepted);
      const [port] = lab.ports.filter(({ owner, queue }) => owner === 2 && queue.length > 0);
      expect((port?.queue.flat().length ?? 0) / 5).toBe(onTheWay);
      lab.busy.delete(2);
      await lab.run();
      expect(lab.ports.every(({ queue }) => queue.length === 0)).toBe(true);
      expect(lab.thread(0).router.tell(from, id, { type: 'm' }, band)).toBe(true);
    },
  );

  test('R2 of asks: each is settled, and no timer or ask is left', async () => {
    const lab = await Lab.open(3);
    const id = await lab.spawn(2, { receive: () => new Promise(() => {}) });
    const { router, asks, deadlines } = lab.thread(0);
    const codes: Record<string, number> = {};
    for (let i = 0; i < 20_000; i++) {
      router.ask(0, id, { type: 'm' }, { deadlineMs: 1_000 }).catch(({ code }) => {
        codes[code] = (codes[code] ?? 0) + 1;
      });
    }
    expect(asks.size).toBe(LINK_WINDOW + LINK_OUTBOX);
    await lab.run(500);
    // One is in hand, the rest of the band waits; what did not fit was refused there.
    expect(asks.size).toBe(MAILBOX_BOUND.user + 1);
    await lab.run(1_000);
    expect([asks.size, deadlines.size]).toEqual([0, 0]);
    expect(codes).toEqual({
      MailboxFull: 20_000 - MAILBOX_BOUND.user - 1,
      AskTimeout: MAILBOX_BOUND.user + 1,
    });
  });

  test('R2 of probes is cut down on the way to the main thread, and counted', async () => {
    const stage = await Stage.open();
    const ids = await Promise.all(Array.from({ length: 30 }, () => stage.spawn(HOST_A)));
    await Promise.all(ids.map((id) => stage.ask(id, { type: 'probe', count: 200 })));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await stage.ask(ids[0] as number, { type: 'probe', count: 1 });
    const unsent = (): number =>
      stage.probed('probes.unsent').reduce((sum, { count }) => sum + Number(count), 0);
    await eventually(() => stage.probed('puppet').length + unsent() === 30 * 200 + 1);
    expect(unsent()).toBeGreaterThan(0);
    await stage.close();
  });
});

describe('R1 a flood of the main thread', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  test('R1 leaves it its timers, and the flood is bounded', async () => {
    const [from, to] = await Promise.all([stage.spawn(HOST_B), stage.spawn(MAIN)]);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    let accepted = 0;
    for (let i = 0; i < 20; i++)
      accepted += await stage.ask<number>(from, { type: 'flood', to, count: 10_000 });
    expect(ticks).toBeGreaterThan(1);
    clearInterval(timer);
    const notes = await stage.notes(to);
    const undelivered = stage.report(from)?.processed ?? 0;
    expect(notes.length).toBeLessThanOrEqual(accepted);
    expect(undelivered).toBeGreaterThan(0);
    expect(stage.report(to)?.depth.user).toBeLessThanOrEqual(MAILBOX_BOUND.user);
    expect(stage.system.main.deadlines.kept).toBeLessThan(5_000);
  });

  test('R1 an actor that tells itself again and again leaves the thread its timers and its ports', async () => {
    const id = await stage.spawn(HOST_A);
    await stage.ask(id, { type: 'busy' });
    for (let i = 0; i < 20; i++) expect(await stage.ask(id, { type: 'sleep', ms: 1 })).toBe('slept');
    expect(await failure(stage.ask(id, { type: 'crash' }))).toMatchObject({ code: 'ActorCrashed' });
  });
});
