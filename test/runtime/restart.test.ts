import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/runtime/actor.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

describe('R4 a crash is of that actor alone', () => {
  test('R4 it starts again at its address, from what it saved; the message in hand is lost, the others are kept', async () => {
    const id = await stage.spawn(HOST_A);
    await stage.ask(id, { type: 'save', changes: { a: 1, b: 2, c: 3 } });
    await stage.ask(id, { type: 'save', changes: { b: undefined, c: 4 } });
    const crashed = failure(stage.ask(id, { type: 'crash', why: 'no way' }));
    const kept = Promise.all([1, 2, 3].map((value) => stage.ask(id, { type: 'echo', value })));
    expect(await crashed).toMatchObject({
      code: 'ActorCrashed',
      detail: { message: 'crash', cause: 'no way' },
    });
    expect(await kept).toEqual([1, 2, 3]);
    expect(await stage.ask(id, { type: 'saved' })).toEqual({ a: 1, c: 4 });
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(1);
    expect(stage.report(id)).toMatchObject({ state: 'idle', restarts: 1, lastError: 'no way' });
    expect(stage.probed('actor.crashed')).toContainEqual(
      expect.objectContaining({ message: 'crash', error: 'no way' }),
    );
  });

  test('R4 the changes of a handler that crashes are not handed over, none of them', async () => {
    const id = await stage.spawn(HOST_A);
    await stage.ask(id, { type: 'save', changes: { a: 1 } });
    await failure(stage.ask(id, { type: 'save', changes: { a: 2, b: 2 }, thenCrash: true }));
    expect(await stage.ask(id, { type: 'saved' })).toEqual({ a: 1 });
  });

  test('R4 the changes of a handler that awaits are its own, whatever control messages save meanwhile', async () => {
    const id = await stage.spawn(HOST_A);
    const saveLate = async (value: number, thenCrash: boolean): Promise<void> => {
      const late = stage.ask(id, { type: 'save-late', value, thenCrash }).catch(() => {});
      await eventually(() => stage.report(id)?.state === 'awaiting');
      await stage.ask(id, { type: 'save', key: 'control', value }, { band: Band.control });
      stage.system.tell(id, { type: 'let-go' }, { band: Band.control });
      await late;
    };
    await saveLate(1, true);
    expect(await stage.ask(id, { type: 'saved' })).toEqual({ control: 1 });
    await saveLate(2, false);
    await failure(stage.ask(id, { type: 'crash' }));
    expect(await stage.ask(id, { type: 'saved' })).toEqual({ early: 2, late: 2, control: 2 });
  });

  test.each([HOST_A, 1])(
    'R4 what is saved is what it was then, not what became of it (thread %d)',
    async (thread) => {
      const id = await stage.spawn(thread);
      await stage.ask(id, { type: 'save-and-mutate' });
      await failure(stage.ask(id, { type: 'crash' }));
      expect(await stage.ask(id, { type: 'saved' })).toEqual({ mutated: { list: [1] } });
    },
  );

  test('R4 a state that cannot be cloned is a crash of its handler, and nothing of it is handed over', async () => {
    const id = await stage.spawn(HOST_A);
    expect(await failure(stage.ask(id, { type: 'save-function' }))).toMatchObject({
      code: 'ActorCrashed',
      detail: { cause: expect.stringContaining('could not be cloned') },
    });
    expect(await stage.ask(id, { type: 'saved' })).toEqual({});
  });

  test('R4 more than 5 crashes in 10 seconds end it; its name is free again', async () => {
    const name = 'hot head';
    const id = await stage.spawn(HOST_A, {}, name);
    for (let i = 0; i < 6; i++) await failure(stage.ask(id, { type: 'crash', why: `crash ${i}` }));
    expect(await failure(stage.ask(id, { type: 'echo' }))).toMatchObject({ code: 'ActorEnded' });
    await eventually(async () => (await stage.system.lookup(name)) === undefined);
    expect(await stage.spawn(HOST_A, {}, name)).not.toBe(id);
  });

  test('R4 a start that fails after a crash is tried again, as often as crashes are allowed', async () => {
    const id = await stage.spawn(HOST_A, { crashesAgain: 1 });
    await stage.ask(id, { type: 'save', changes: { crashes: 1 } });
    expect(await failure(stage.ask(id, { type: 'crash' }))).toMatchObject({ code: 'ActorCrashed' });
    await eventually(() => stage.report(id) === undefined);
    // Probes come by another way than what the board shows.
    const failed = () => stage.probed('actor.crashed').filter(({ message }) => message === 'start').length;
    await eventually(() => failed() >= 5);
    expect(failed()).toBe(5);
  });

  test('R4 a crash in control ends the user handler that awaits: its ask and the answers owed fail', async () => {
    const id = await stage.spawn(HOST_A);
    const owed = failure(stage.ask(id, { type: 'later' }, { band: Band.control }));
    const held = failure(stage.ask(id, { type: 'hold' }));
    await eventually(() => stage.report(id)?.state === 'awaiting');
    const crash = failure(stage.ask(id, { type: 'crash' }, { band: Band.control }));
    for (const error of await Promise.all([owed, held, crash])) {
      expect(error).toMatchObject({
        code: 'ActorCrashed',
        detail: { message: 'crash', cause: 'in control' },
      });
    }
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(1);
  });

  test('R4 what the crashed actor asked fails, so that its handler is not left waiting', async () => {
    const [id, other] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const forward = failure(stage.ask(id, { type: 'forward', to: other, message: { type: 'hold' } }));
    await eventually(() => stage.report(other)?.state === 'awaiting');
    expect(stage.report(id)?.waitsFor).toMatchObject({ reason: 'hold', on: other });
    await failure(stage.ask(id, { type: 'crash' }, { band: Band.control }));
    expect(await forward).toMatchObject({ code: 'ActorCrashed' });
    expect(stage.report(id)?.waitsFor).toBeUndefined();
    expect(stage.probed('thread.stray')).toEqual([]);
  });

  test.each([
    ['reject-unheard', 'a promise that nobody heard', 'nobody hears this'],
    ['reject-after-an-await', 'a promise that nobody heard', 'after an await'],
    ['throw-later', 'a callback', 'in a callback'],
  ])('R4 %s crashes the actor that caused it, and it alone', async (type, what, message) => {
    const name = `stray-${type}`;
    const [id, other] = await Promise.all([stage.spawn(HOST_A, {}, name), stage.spawn(HOST_A)]);
    await stage.ask(id, { type });
    const told = await eventually(() => stage.probed('thread.stray').find(({ actor }) => actor === name));
    expect(told).toMatchObject({ thread: 'host-a', what, error: `Error: ${message}` });
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(1);
    expect(stage.report(id)?.lastError).toBe(message);
    expect(await stage.ask(other, { type: 'incarnation' })).toBe(0);
    expect(stage.probed('thread.lost')).toEqual([]);
  });

  test('R4 what fails after its actor was started again crashes nobody', async () => {
    const id = await stage.spawn(HOST_A, {}, 'stray-late');
    const strays = stage.probed('thread.stray').length;
    const until = new Int32Array(new SharedArrayBuffer(4));
    await stage.ask(id, { type: 'reject-after-an-await', until });
    await failure(stage.ask(id, { type: 'crash' }));
    Atomics.store(until, 0, 1);
    await eventually(() => stage.probed('thread.stray').length > strays);
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(1);
  });
});

describe('R4 a handler left over from before a crash', () => {
  test('R4 cannot act for the actor that was started again', async () => {
    const lab = await Lab.open(3);
    const notes: unknown[] = [];
    const target = await lab.spawn(2, { receive: (message: unknown) => notes.push(message) });
    let wake: () => void = () => {};
    let old: Context | undefined;
    let asked: unknown;
    const id = await lab.spawn(0, (ctx) => ({
      async receive() {
        old ??= ctx;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        expect(ctx.tell(target, { type: 'ghost' })).toBe(false);
        asked = await ctx.ask(target, { type: 'ghost' }).catch((error) => error.code);
        ctx.save('ghost', 1);
        ctx.after(1, { type: 'ghost' });
        ctx.watch(target);
        ctx.wait({ for: target, reason: 'ghost', deadlineMs: 1 });
        ctx.work(() => true).wake();
        ctx.stop();
        ctx.replyLater().resolve(1);
      },
      control() {
        throw new Error('now');
      },
    }));
    const { router } = lab.thread(0);
    router.tell(0, id, { type: 'go' }, Band.user);
    await lab.run();
    router.tell(0, id, { type: 'crash' }, Band.control);
    await lab.run(10);
    const timers = lab.thread(0).deadlines.size;
    wake();
    await lab.run(1);
    expect({ notes, asked, timers: lab.thread(0).deadlines.size }).toEqual({
      notes: [],
      asked: 'ActorCrashed',
      timers,
    });
    expect(lab.thread(0).watches.size).toBe(0);
    expect(lab.thread(0).cell(id)?.context).not.toBe(old);
    expect(lab.thread(0).cell(id)?.context?.incarnation).toBe(1);
    expect(await saved(lab, id)).toEqual(new Map());
  });

  test('R4 does not wait for what it had asked: that has failed', async () => {
    const lab = await Lab.open(3);
    const silent = await lab.spawn(2, { receive: () => new Promise(() => {}) });
    const heard: string[] = [];
    const id = await lab.spawn(0, (ctx) => ({
      receive: () => ctx.ask(silent, { type: 'm' }).catch((error) => heard.push(error.code)),
      control() {
        throw new Error('now');
      },
    }));
    lab.thread(0).router.tell(0, id, { type: 'go' }, Band.user);
    await lab.run();
    expect(lab.thread(0).asks.size).toBe(1);
    lab.thread(0).router.tell(0, id, { type: 'crash' }, Band.control);
    await lab.run();
    expect([heard, lab.thread(0).asks.size]).toEqual([['ActorCrashed'], 0]);
  });

  test('R4 idle work that throws is a crash; it does not commit what a handler that awaits has saved', async () => {
    const lab = await Lab.open(2);
    let step: () => boolean = () => false;
    const id = await lab.spawn(0, (ctx) => {
      const work = ctx.work(() => step());
      return {
        async receive() {
          ctx.save('half', 1);
          await new Promise(() => {});
        },
        control: () => work.wake(),
      };
    });
    const { router } = lab.thread(0);
    router.tell(0, id, { type: 'go' }, Band.user);
    router.tell(0, id, { type: 'work' }, Band.control);
    await lab.run();
    expect(await saved(lab, id)).toEqual(new Map());
    step = () => {
      throw new Error('at work');
    };
    router.tell(0, id, { type: 'work' }, Band.control);
    await lab.run(10);
    expect(lab.thread(0).cell(id)?.context?.incarnation).toBe(1);
  });

  test('R4 what is saved outside of every handler is handed over at once', async () => {
    const lab = await Lab.open(2);
    let context: Context | undefined;
    const id = await lab.spawn(0, (ctx) => {
      context = ctx;
      return { receive() {} };
    });
    context?.save('later', 5);
    await lab.run();
    expect(await saved(lab, id)).toEqual(new Map([['later', 5]]));
  });

  async function saved(lab: Lab, id: number): Promise<unknown> {
    const load = lab.thread(0).loadSaved(id);
    await lab.run();
    return load;
  }
});

describe('R4 a behaviour whose stop hangs', () => {
  test.each(['crash', 'stop'])('R4 is given up after its time, on %s', async (type) => {
    const lab = await Lab.open(2);
    let starts = 0;
    const id = await lab.spawn(0, (ctx) => {
      starts++;
      return {
        receive: () => ctx.stop(),
        control() {
          throw new Error('now');
        },
        stop: () => new Promise(() => {}),
      };
    });
    lab.thread(0).router.tell(0, id, { type }, type === 'crash' ? Band.control : Band.user);
    await lab.run(9_000);
    expect(lab.thread(0).cells()).toHaveLength(2);
    await lab.run(2_000);
    expect(starts).toBe(type === 'crash' ? 2 : 1);
    expect(lab.thread(0).cells()).toHaveLength(type === 'crash' ? 2 : 1);
  });
});
