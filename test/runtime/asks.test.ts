import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeId } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { eventually, failure, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

describe('R3 ask', () => {
  test.each([
    ['across threads', HOST_A],
    ['within a thread', MAIN],
  ])('R3 answers %s: a value, a promise, later, later and at once, a refusal', async (_, thread) => {
    const id = await stage.spawn(thread);
    expect(await stage.ask(id, { type: 'echo', value: { a: [1, 'x'] } })).toEqual({ a: [1, 'x'] });
    expect(await stage.ask(id, { type: 'sleep', ms: 1 })).toBe('slept');
    const later = stage.ask(id, { type: 'later' });
    await stage.ask(id, { type: 'pay', value: 7 });
    expect(await later).toBe(7);
    expect(await stage.ask(id, { type: 'later', atOnce: true })).toBe('at once');
    expect(await failure(stage.ask(id, { type: 'refuse' }))).toMatchObject({
      code: 'TypeError',
      message: 'no',
    });
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(0);
  });

  test('R3 a control handler may take an answer over', async () => {
    const id = await stage.spawn(HOST_A);
    const later = stage.ask(id, { type: 'later' }, { band: Band.control });
    await stage.ask(id, { type: 'pay', value: 8 });
    expect(await later).toBe(8);
  });

  test('R3 an ask past its deadline fails, by the name of who did not answer, and a late answer finds nobody', async () => {
    const id = await stage.spawn(HOST_A, {}, 'slow one');
    const error = await failure(stage.ask(id, { type: 'sleep', ms: 100 }, { deadlineMs: 20 }));
    expect(error).toMatchObject({
      code: 'AskTimeout',
      detail: { actor: 'slow one', message: 'sleep', waitedMs: 20 },
    });
    expect(await stage.ask(id, { type: 'echo', value: 1 })).toBe(1);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])(
    'R3 a deadline of %d ms is refused',
    async (deadlineMs) => {
      const id = await stage.spawn(HOST_A);
      expect(await failure(stage.ask(id, { type: 'echo' }, { deadlineMs }))).toMatchObject({
        code: 'BadArgument',
      });
      const forward = { type: 'forward', to: id, message: { type: 'echo' }, options: { deadlineMs } };
      expect(await failure(stage.ask(await stage.spawn(HOST_B), forward))).toMatchObject({
        code: 'ActorCrashed',
        detail: { cause: expect.stringContaining('deadlineMs') },
      });
    },
  );

  test('R3 the system band carries no asks', async () => {
    const id = await stage.spawn(HOST_A);
    expect(await failure(stage.ask(id, { type: 'echo' }, { band: Band.system }))).toMatchObject({
      code: 'BadArgument',
    });
  });

  test('R3 an aborted ask fails at once, and nothing is left on the signal', async () => {
    const id = await stage.spawn(HOST_A);
    const control = new AbortController();
    const asks = Array.from({ length: 20 }, () =>
      failure(stage.ask(id, { type: 'sleep', ms: 1_000 }, { signal: control.signal })),
    );
    expect(
      await stage.ask(id, { type: 'peekin' }, { band: Band.control, signal: control.signal }),
    ).toBeDefined();
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(20);
    control.abort();
    for (const error of await Promise.all(asks)) expect(error).toMatchObject({ code: 'Aborted' });
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(0);
    const late = stage.ask(id, { type: 'echo' }, { signal: control.signal });
    expect(await failure(late)).toMatchObject({ code: 'Aborted' });
    expect(stage.system.main.asks.size).toBe(0);
  });

  test('R5 an actor that asks itself and awaits the answer is a deadlock, and lives on', async () => {
    const id = await stage.spawn(HOST_A);
    const toItself = { type: 'forward', to: id, message: { type: 'echo' }, options: {} };
    expect(await failure(stage.ask(id, toItself))).toMatchObject({
      code: 'ActorCrashed',
      detail: { cause: expect.stringContaining('for itself (echo): a deadlock') },
    });
    const onControl = { ...toItself, message: { type: 'ping', value: 3 }, options: { band: Band.control } };
    expect(await stage.ask(id, onControl)).toBe(3);
  });
});

describe('R3 an ask that has settled', () => {
  test('R3 keeps nothing of its answer, however far its deadline', async () => {
    const lab = await Lab.open(2);
    let payload: object | undefined = { large: new Uint8Array(1_000) };
    const answered = new WeakRef(payload);
    const id = await lab.spawn(0, {
      receive: () => {
        const value = payload;
        payload = undefined;
        return value;
      },
    });
    let same: boolean | undefined;
    void lab
      .thread(0)
      .router.ask(0, id, { type: 'm' }, { deadlineMs: 3_600_000 })
      .then((value) => {
        same = value === answered.deref();
      });
    await lab.run();
    expect(same).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
    expect(lab.thread(0).deadlines.kept).toBeGreaterThan(0);
    expect(answered.deref()).toBeUndefined();
  });
});

describe('R3 messages to the dead', () => {
  test('R3 an ask to a dead actor fails at once; so does one to an address that never was', async () => {
    const id = await stage.spawn(HOST_A);
    await stage.system.stopActor(id, 'enough');
    for (const dead of [id, makeId(HOST_A, 9_999, 1), makeId(77, 1, 1), makeId(MAIN, 9_999, 1)]) {
      const asked = performance.now();
      expect(await failure(stage.ask(dead, { type: 'echo' }, { deadlineMs: 5_000 }))).toMatchObject({
        code: 'ActorEnded',
      });
      expect(performance.now() - asked).toBeLessThan(2_500);
    }
  });

  test('R3 a tell to a dead actor is a dead letter: counted, and told by a probe', async () => {
    const id = await stage.spawn(HOST_A, {}, 'the departed');
    await stage.system.stopActor(id, 'enough');
    const count = (): number => stage.system.inspect().threads[HOST_A]?.deadLetters ?? 0;
    const before = count();
    for (let i = 0; i < 10; i++) expect(stage.system.tell(id, { type: 'note', value: i })).toBe(true);
    await eventually(() => count() === before + 10);
    expect(stage.probed('deadletter').filter(({ to }) => to === id)).toMatchObject([
      { messageType: 'note', unsent: 0 },
    ]);
  });

  test('R3 an ask under way when its actor ends, or crashes, fails with the reason', async () => {
    const [ends, crashes] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_A)]);
    const inHand = failure(stage.ask(ends, { type: 'hold' }));
    const queued = failure(stage.ask(ends, { type: 'echo' }));
    const owed = failure(stage.ask(crashes, { type: 'later' }));
    await stage.notes(crashes);
    await stage.system.stopActor(ends, 'its time had come');
    const expected = { code: 'ActorEnded', detail: { reason: 'its time had come' } };
    expect(await inHand).toMatchObject(expected);
    expect(await queued).toMatchObject(expected);
    const crash = await failure(stage.ask(crashes, { type: 'crash', why: 'no way' }));
    expect(crash).toMatchObject({ code: 'ActorCrashed', detail: { message: 'crash', cause: 'no way' } });
    expect(await owed).toMatchObject({ code: 'ActorCrashed', detail: { message: 'crash', cause: 'no way' } });
  });

  test('R3 an actor that stops itself answers what it has in hand first', async () => {
    const id = await stage.spawn(HOST_A);
    const behind = failure(
      stage.ask(id, { type: 'sleep', ms: 10 }).then(() => stage.ask(id, { type: 'echo' })),
    );
    expect(await stage.ask(id, { type: 'stop' })).toBe('last words');
    expect(await behind).toMatchObject({ code: 'ActorEnded', detail: { actor: expect.any(String) } });
    expect(await stage.system.lookup('nobody')).toBeUndefined();
  });
});
