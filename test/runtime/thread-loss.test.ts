import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { threadOf } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { CONTROL, eventually, failure, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

let stage: Stage;

/** A stage for the tests of a group; a thread of it may be lost five times. */
function sharedStage(): void {
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());
}

const restarts = (): number => stage.probed('thread.restarted').length;
const restarted = (times: number): Promise<unknown> => eventually(() => restarts() >= times);

/** Ends a thread, and waits until it is back. */
async function lose(thread: number): Promise<void> {
  const before = restarts();
  await stage.system.terminateThread(thread);
  await restarted(before + 1);
}

describe('R4 a lost thread and its actors', () => {
  sharedStage();

  test('R4 comes back with its actors, at their addresses, from what they saved; asks under way fail with the reason', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => stage.spawn(HOST_A)));
    await Promise.all(ids.map((id, i) => stage.ask(id, { type: 'save', changes: { i } })));
    const under = ids.map((id) => failure(stage.ask(id, { type: 'hold' })));
    await stage.ask(ids[0] as number, { type: 'peekin' }, { band: Band.control });
    const losing = lose(HOST_A);
    for (const error of await Promise.all(under)) {
      expect(error).toMatchObject({
        code: 'ThreadLost',
        detail: { thread: 'host-a', reason: 'it exited with code 1' },
      });
    }
    await losing;
    const saved = await Promise.all(ids.map((id) => stage.ask(id, { type: 'saved' })));
    expect(saved).toEqual(ids.map((_, i) => ({ i })));
    const incarnation = await stage.ask<number>(ids[0] as number, { type: 'incarnation' });
    expect(incarnation).toBeGreaterThan(5);
    await failure(stage.ask(ids[0] as number, { type: 'crash' }));
    expect(await stage.ask(ids[0] as number, { type: 'incarnation' })).toBe(incarnation + 1);
  });

  test('R4 an exception outside of every handler takes its thread, which comes back with what went wrong in its reason', async () => {
    const id = await stage.spawn(HOST_A);
    const before = restarts();
    await stage.ask(id, { type: 'crash-thread' });
    await restarted(before + 1);
    expect(stage.probed('thread.lost').at(-1)).toMatchObject({
      thread: 'host-a',
      reason: 'outside of every handler',
    });
    expect(await stage.ask(id, { type: 'echo', value: 1 })).toBe(1);
  });

  test('R4 messages sent while it is away fail or are refused, never left open; once it is back they arrive', async () => {
    const [id, other] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const losing = lose(HOST_A);
    const answers: string[] = [];
    while (!answers.includes('here')) {
      const here = stage.ask(id, { type: 'echo', value: 'here' });
      const there = stage.ask(other, { type: 'try', to: id, message: { type: 'echo', value: 'here' } });
      answers.push(
        ...((await Promise.all([here, there].map((ask) => ask.catch((error) => error.code)))) as string[]),
      );
    }
    for (const code of answers) expect(['here', 'ThreadLost']).toContain(code);
    await losing;
  });

  test('R4 an actor whose starts fail after the loss ends with one too many; the others are back', async () => {
    const [bad, good] = await Promise.all([
      stage.spawn(HOST_A, { crashesAgain: 1 }, 'bad'),
      stage.spawn(HOST_A, {}, 'good'),
    ]);
    await stage.ask(bad, { type: 'save', changes: { crashes: 1 } });
    await lose(HOST_A);
    expect(await stage.ask(good, { type: 'echo', value: 1 })).toBe(1);
    await eventually(async () => (await stage.system.lookup('bad')) === undefined);
    expect(await failure(stage.ask(bad, { type: 'echo' }))).toMatchObject({ code: 'ActorEnded' });
    await eventually(() => stage.probed('actor.given_up').length > 0);
    expect(stage.probed('actor.given_up')).toMatchObject([{ actor: 'bad' }]);
  });

  test('R4 an actor that is stopped while its thread is away does not come back, and its name is free', async () => {
    const [gone, other] = await Promise.all([stage.spawn(HOST_A, {}, 'gone'), stage.spawn(HOST_A)]);
    const losing = lose(HOST_A);
    await eventually(() => stage.system.inspect().threads[HOST_A]?.alive === false);
    await stage.system.stopActor(gone, 'enough');
    expect(await stage.system.lookup('gone')).toBeUndefined();
    await losing;
    expect(await stage.ask(other, { type: 'echo', value: 1 })).toBe(1);
    expect(stage.report(gone)).toBeUndefined();
    await stage.spawn(HOST_B, {}, 'gone');
  });

  test('R4 new actors are placed on a thread that has come back', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => stage.spawn()));
    expect(new Set(ids.map(threadOf))).toEqual(new Set([HOST_A, HOST_B]));
  });

  test('R4 a thread that is lost again while it is being joined comes back after all', async () => {
    const id = await stage.spawn(HOST_B);
    const before = restarts();
    await stage.system.terminateThread(HOST_B);
    await eventually(() => stage.system.inspect().threads[HOST_B]?.restarts === 1);
    await eventually(() => stage.system.inspect().threads[HOST_B]?.alive);
    await stage.system.terminateThread(HOST_B);
    await eventually(() => stage.system.inspect().threads[HOST_B]?.restarts === 2);
    await eventually(() => restarts() > before);
    await eventually(() => stage.ask(id, { type: 'echo', value: true }).catch(() => false));
    expect(stage.probed('system.failed')).toEqual([]);
  });

  test('R4 stopping while a lost thread is on its way back leaves no thread behind', async () => {
    await stage.spawn(HOST_B);
    const lost = stage.system.terminateThread(HOST_B);
    await eventually(() => stage.probed('thread.lost').at(-1)?.thread === 'host-b');
    await stage.system.stop();
    await lost;
    expect(stage.system.inspect().threads.map(({ alive }) => alive)).toEqual([true, false, false, false]);
    expect(stage.probed('system.failed')).toEqual([]);
  });
});

describe('R4 a lost thread and the others', () => {
  sharedStage();

  test('R4 no new actor gets an address of an earlier life, and no ask the answer of one', async () => {
    const old = await stage.spawn(HOST_A);
    const [asker, owing] = [await stage.spawn(HOST_A), await stage.spawn(HOST_B)];
    await stage.system.stopActor(old, 'enough');
    const asked = failure(stage.ask(asker, { type: 'forward', to: owing, message: { type: 'later' } }));
    await eventually(() => stage.report(owing)?.state === 'idle');
    const losing = lose(HOST_A);
    expect(await asked).toMatchObject({ code: 'ThreadLost' });
    await losing;
    const fresh = await Promise.all(Array.from({ length: 50 }, () => stage.spawn(HOST_A)));
    expect(fresh).not.toContain(old);
    expect(fresh).not.toContain(asker);
    const again = stage.ask(asker, { type: 'forward', to: owing, message: { type: 'hold' } });
    stage.system.tell(owing, { type: 'let-go' }, { band: Band.control });
    expect(await again).toBe('held');
  });

  test('R4 a thread that spins holds up neither the loss of another nor its return', async () => {
    const [a, b] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const letGo = await stage.spin(b);
    await lose(HOST_A);
    expect(await stage.ask(a, { type: 'echo', value: 1 })).toBe(1);
    expect(stage.report(b)?.state).toBe('handling');
    await letGo();
    // It may hear of its message before it hears of the loss.
    const relay = { type: 'try', to: a, message: { type: 'echo', value: 2 } };
    expect(['ThreadLost', 2]).toContain(await stage.ask(b, relay));
    expect(await stage.ask(b, relay)).toBe(2);
    expect(await stage.ask(a, { type: 'forward', to: b, message: { type: 'echo', value: 3 } })).toBe(3);
  });

  test('R4 two threads lost at once both come back, joined to each other', async () => {
    const [a, b] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const before = restarts();
    await Promise.all([HOST_A, HOST_B].map((thread) => stage.system.terminateThread(thread)));
    await restarted(before + 2);
    const relay = (from: number, to: number): Promise<unknown> =>
      stage.ask(from, { type: 'forward', to, message: { type: 'echo', value: to } });
    expect(await relay(a, b)).toBe(b);
    expect(await relay(b, a)).toBe(a);
  });

  test('R4 what was saved and answered just before the end is there after it', async () => {
    const id = await stage.spawn(HOST_A);
    for (let life = 0; life < 2; life++) {
      await stage.ask(id, { type: 'save', changes: { life } });
      await lose(HOST_A);
      expect(await stage.ask(id, { type: 'saved' })).toEqual({ life });
    }
  });

  test('R4 more than 5 losses in a minute end the system: everything fails, nothing hangs', async () => {
    const id = await stage.spawn(HOST_B);
    let failed: unknown;
    stage.system.onFailure = (error) => {
      failed = error;
    };
    const pending = failure(stage.ask(id, { type: 'hold' }));
    expect(stage.system.inspect().threads[HOST_A]?.restarts).toBe(5);
    await stage.system.terminateThread(HOST_A);
    expect(await pending).toMatchObject({ code: 'ThreadLost', detail: { thread: 'host-a' } });
    expect(failed).toMatchObject({ code: 'ThreadLost' });
    expect(await failure(stage.ask(id, { type: 'echo' }))).toMatchObject({ code: 'ThreadLost' });
    await stage.system.stop();
  });
});

describe('R4 threads lost under load', () => {
  sharedStage();

  test('R4 every ask settles, nothing arrives twice, nothing is left', async () => {
    const [a, b, sink] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B), stage.spawn(MAIN)]);
    let on = true;
    let n = 0;
    const outcomes: Record<string, number> = {};
    const load = async (): Promise<void> => {
      while (on) {
        const message = { type: 'note', value: n++ };
        const [via, next] = n % 2 === 0 ? [a, b] : [b, a];
        const tell = { type: 'tell', to: sink, message };
        const outcome = await stage
          .ask(via, n % 3 === 0 ? { type: 'try', to: next, message: tell } : tell)
          .then(String, (error) => error.code);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    };
    const loads = Array.from({ length: 16 }, load);
    for (const thread of [HOST_A, HOST_B, HOST_A, HOST_B]) {
      await lose(thread);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    on = false;
    await Promise.all(loads);
    // What the relay of a relay was asked in vain is an outcome too: the code of the error. Both may ask each other.
    const expected = ['true', 'ThreadLost', 'AskTimeout', 'Deadlock'];
    expect(Object.keys(outcomes).filter((outcome) => !expected.includes(outcome))).toEqual([]);
    expect(outcomes.true).toBeGreaterThan(100);
    const notes = await stage.notes(sink);
    expect(new Set(notes).size).toBe(notes.length);
    expect(stage.system.main.asks.size).toBe(0);
    expect(stage.system.main.deadlines.size).toBe(0);
  });
});

describe('R4 the control thread', () => {
  sharedStage();

  test('R4 the loss of the control thread ends the system: everything fails, nothing hangs', async () => {
    const [a, b] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const pending = [
      stage.ask(a, { type: 'hold' }),
      stage.ask(a, { type: 'forward', to: b, message: { type: 'hold' } }),
      stage.system.spawn({ name: 'x', module: 'data:text/javascript,await new Promise(() => {})', args: {} }),
    ].map(failure);
    await stage.system.terminateThread(CONTROL);
    for (const error of await Promise.all(pending))
      expect(['ThreadLost', 'ActorEnded']).toContain(error.code);
    expect(await failure(stage.spawn(HOST_A))).toMatchObject({
      code: 'ThreadLost',
      detail: { thread: 'control' },
    });
    expect(stage.system.tell(a, { type: 'note' })).toBe(false);
    await stage.system.stop();
    expect(stage.system.inspect().threads.map(({ alive }) => alive)).toEqual([true, false, false, false]);
  });
});

describe('R4 an answer for a life of the thread that is over', () => {
  test('R4 settles no ask of the next one', async () => {
    const lab = await Lab.open(3);
    let pay: (value: unknown) => void = () => {};
    const id = await lab.spawn(2, (ctx) => ({
      receive() {
        pay = ctx.replyLater().resolve;
      },
    }));
    void lab.thread(0).router.ask(0, id, { type: 'first' }, {});
    await lab.run();
    const payFirst = pay;
    lab.thread(2).loseThread(0, 't0', 'lost');
    const next = await lab.add(0, 1);
    const second = next.router.ask(0, id, { type: 'second' }, {});
    await lab.run();
    payFirst('for the first');
    await lab.run();
    pay('for the second');
    await lab.run();
    expect(await second).toBe('for the second');
  });
});

test('R4 an actor whose first start fails after its thread was lost is started once more, with its state', async () => {
  const own = await Stage.open();
  const id = await own.spawn(HOST_A, { failsBack: true });
  await own.ask(id, { type: 'save', changes: { kept: 1 } });
  await own.system.terminateThread(HOST_A);
  await eventually(() => own.probed('thread.restarted').length > 0);
  expect(await own.ask(id, { type: 'saved' })).toEqual({ kept: 1 });
  expect(own.report(id)).toMatchObject({ restarts: 1, lastError: 'not yet' });
  await own.close();
});
