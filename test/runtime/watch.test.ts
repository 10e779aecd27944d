import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/runtime/actor.js';
import { type ActorId, makeId } from '../../src/runtime/address.js';
import { Band, type Notice } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

/** What `from` has said to `to` so far has arrived. */
const behind = (from: ActorId, to: ActorId): Promise<unknown> =>
  stage.ask(from, { type: 'forward', to, message: { type: 'peekin' }, options: { band: Band.control } });

const ended = (id: ActorId, reason: unknown, lost = false) => ({ type: 'ended', id, reason, lost });

describe('R3 watch', () => {
  test.each([
    ['across threads', HOST_B],
    ['within a thread', HOST_A],
  ])('R3 the watcher is told once when the other stops, %s', async (_, thread) => {
    const [watcher, other] = await Promise.all([stage.spawn(HOST_A), stage.spawn(thread)]);
    await stage.ask(watcher, { type: 'watch', id: other });
    await stage.ask(watcher, { type: 'watch', id: other });
    await behind(watcher, other);
    await stage.system.stopActor(other, 'enough');
    await eventually(async () => (await stage.notes(watcher)).length > 0);
    await stage.ask(watcher, { type: 'watch', id: other });
    await eventually(async () => (await stage.notes(watcher)).length > 1);
    expect(await stage.notes(watcher)).toEqual([
      ended(other, 'enough'),
      ended(other, 'no actor lives at this address'),
    ]);
  });

  test('R3 told when the other crashes for good, not when it is started again', async () => {
    const [watcher, other] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    await stage.ask(watcher, { type: 'watch', id: other });
    for (let i = 0; i < 5; i++) await failure(stage.ask(other, { type: 'crash' }));
    expect(await stage.ask(other, { type: 'incarnation' })).toBe(5);
    expect(await stage.notes(watcher)).toEqual([]);
    await failure(stage.ask(other, { type: 'crash', why: 'once too often' }));
    await eventually(async () => (await stage.notes(watcher)).length > 0);
    expect(await stage.notes(watcher)).toEqual([ended(other, 'crashed: once too often')]);
  });

  test.each([
    ['an address that never was', makeId(HOST_B, 9_999, 1), 'no actor lives at this address'],
    ['a thread that never was', makeId(99, 1, 1), 'its thread is not there'],
  ])('R3 watching %s answers at once', async (_, id, reason) => {
    const watcher = await stage.spawn(HOST_A);
    await stage.ask(watcher, { type: 'watch', id });
    await eventually(async () => (await stage.notes(watcher)).length > 0);
    expect(await stage.notes(watcher)).toEqual([ended(id, reason)]);
  });

  test('R3 not told after unwatch, and not after a crash of its own', async () => {
    const [watcher, crashed, other] = await Promise.all([
      stage.spawn(HOST_A),
      stage.spawn(HOST_A),
      stage.spawn(HOST_B),
    ]);
    for (const id of [watcher, crashed]) await stage.ask(id, { type: 'watch', id: other });
    await stage.ask(watcher, { type: 'unwatch', id: other });
    await failure(stage.ask(crashed, { type: 'crash' }));
    for (const id of [watcher, crashed]) await behind(id, other);
    await stage.system.stopActor(other, 'enough');
    for (const id of [watcher, crashed]) {
      await behind(id, await stage.spawn(HOST_B));
      expect(await stage.notes(id)).toEqual([]);
    }
  });

  test('R3 an actor that watches itself is no trouble', async () => {
    const id = await stage.spawn(HOST_A);
    await stage.ask(id, { type: 'watch', id });
    await stage.system.stopActor(id, 'enough');
    expect(stage.report(id)).toBeUndefined();
  });

  test('R3 told when the other is lost with its thread', async () => {
    const own = await Stage.open();
    const [watcher, other] = await Promise.all([own.spawn(HOST_A), own.spawn(HOST_B)]);
    await own.ask(watcher, { type: 'watch', id: other });
    await own.ask(watcher, { type: 'forward', to: other, message: { type: 'echo' } });
    await own.system.terminateThread(HOST_B);
    await eventually(async () => (await own.notes(watcher)).length > 0);
    expect(await own.notes(watcher)).toEqual([ended(other, 'it exited with code 1', true)]);
    await own.close();
  });

  test('R3 a thread that is started again does not say of those who are to come back that they have ended', async () => {
    const lab = await Lab.open(3);
    const other = await lab.spawn(2, {});
    lab.thread(0).loseThread(2, 't2', 'lost');
    const next = await lab.add(2, 1);
    const heard: Notice[] = [];
    const watch = (id: ActorId): Promise<ActorId> =>
      lab.spawn(0, (ctx) => {
        ctx.watch(id);
        return { receive() {}, notice: (notice) => void heard.push(notice) };
      });
    await watch(other);
    await lab.run();
    expect(heard.splice(0)).toEqual([ended(other, 'it is not back yet', true)]);
    next.isBack = true;
    await watch(other);
    await lab.run();
    expect(heard).toEqual([ended(other, 'no actor lives at this address')]);
  });

  test('R3 told of each of the thousands that are lost at once', async () => {
    const lab = await Lab.open(3);
    const ids = await Promise.all(Array.from({ length: 5_000 }, () => lab.spawn(2, {})));
    const heard: number[] = [];
    await lab.spawn(0, (ctx) => {
      for (const id of ids) ctx.watch(id);
      return { receive() {}, notice: (notice) => void heard.push((notice as { id: number }).id) };
    });
    await lab.run();
    lab.thread(0).loseThread(2, 't2', 'lost');
    await lab.run();
    expect(heard).toEqual(ids);
  });

  test('R3 nothing is kept of watches whose watcher or watched has ended', async () => {
    const lab = await Lab.open(3);
    const watched = [await lab.spawn(0, {}), await lab.spawn(2, {})];
    for (let i = 0; i < 50; i++) {
      const watcher = await lab.spawn(0, (ctx) => {
        for (const id of watched) ctx.watch(id);
        return { receive: () => ctx.stop() };
      });
      await lab.run();
      lab.thread(0).router.tell(0, watcher, { type: 'stop' }, 2);
      await lab.run();
    }
    expect(lab.threads.map((thread) => thread.watches.size)).toEqual([0, 0, 0]);
    await lab.spawn(0, (ctx) => {
      for (const id of watched) ctx.watch(id);
      return { receive() {} };
    });
    await lab.run();
    expect(lab.threads.map((thread) => thread.watches.size)).toEqual([2, 0, 1]);
    lab.thread(2).loseThread(0, 't0', 'lost');
    lab.thread(0).loseThread(2, 't2', 'lost');
    await lab.run();
    expect(lab.threads.map((thread) => thread.watches.size)).toEqual([2, 0, 0]);
  });

  test.each([
    ['watches again', 1, (ctx: Context, id: ActorId) => ctx.watch(id)],
    ['no longer watches', 0, (ctx: Context, id: ActorId) => ctx.unwatch(id)],
  ])('R3 who %s before the notice has come is told so often: %i', async (_, times, act) => {
    const lab = await Lab.open(3);
    const heard: ActorId[] = [];
    let ctx: Context | undefined;
    await lab.spawn(0, (context) => {
      ctx = context;
      return { receive() {}, notice: (notice: Notice) => heard.push((notice as { id: ActorId }).id) };
    });
    const elsewhere = await lab.spawn(2, { receive: (_: never, ctx: Context) => ctx.stop() });
    const here = await lab.spawn(0, {});
    for (const id of [elsewhere, here]) ctx?.watch(id);
    await lab.run();
    // The one notice is on the line, the other in the mailbox.
    lab.busy.add(0);
    lab.thread(2).router.tell(0, elsewhere, { type: 'go' }, Band.user);
    await lab.run();
    lab.thread(0).watches.ended(here, 'enough');
    for (const id of [elsewhere, here]) act(ctx as Context, id);
    lab.busy.delete(0);
    await lab.run();
    expect(heard).toEqual([here, elsewhere].slice(0, 2 * times));
    expect(lab.threads.map((thread) => thread.watches.size)).toEqual([0, 0, 0]);
  });
});
