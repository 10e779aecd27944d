import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/runtime/actor.js';
import { threadActor } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { System } from '../../src/runtime/system.js';
import { Lab } from './lab.js';
import { actorModule, eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

describe('an actor that stops itself', () => {
  const lastWords = (ctx: Context) => ({
    async receive() {
      ctx.stop();
      return await ctx.ask(ctx.self, { type: 'anything' }, { band: Band.control });
    },
    control: () => 'last words',
  });

  test('R3 ends when the handler that said so has, not at a control message before', async () => {
    const lab = await Lab.open(2);
    const id = await lab.spawn(0, lastWords);
    const answer = lab.thread(0).ask(threadActor(0), id, { type: 'go' }, {});
    await lab.run();
    expect(await answer).toBe('last words');
    expect(lab.thread(0).cell(id)).toBeUndefined();
  });

  test('R3 ends at once when a control handler says so, whatever a user handler awaits', async () => {
    const lab = await Lab.open(2);
    const waits = (ctx: Context) => ({ receive: () => new Promise(() => {}), control: () => ctx.stop() });
    const id = await lab.spawn(0, waits);
    const answer = failure(lab.thread(0).ask(threadActor(0), id, { type: 'go' }, {}));
    await lab.run();
    await lab.thread(0).ask(threadActor(0), id, { type: 'end' }, { band: Band.control });
    expect(await answer).toMatchObject({ code: 'ActorEnded', detail: { reason: 'it stopped itself' } });
  });
});

describe('stopping a system', () => {
  test('ends every actor by its own stop, fails what is pending, and leaves no thread', async () => {
    const stage = await Stage.open();
    const [slow, other, bad] = await Promise.all([
      stage.spawn(HOST_A, { stopMs: 50 }),
      stage.spawn(HOST_B),
      stage.spawn(HOST_B, { failsToStop: true }),
    ]);
    const pending = [slow, other, bad].map((id) => failure(stage.ask(id, { type: 'hold' })));
    await eventually(() => [slow, other, bad].every((id) => stage.report(id)?.state === 'awaiting'));
    const relayed = failure(stage.ask(other, { type: 'forward', to: slow, message: { type: 'hold' } }));
    await eventually(() => stage.report(other)?.depth.user === 1);
    await Promise.all([stage.close(), stage.close()]);
    for (const error of await Promise.all([...pending, relayed])) {
      expect(error).toMatchObject({ code: 'ActorEnded', detail: { reason: 'the system stopped' } });
    }
    expect(stage.system.inspect().threads.map(({ alive }) => alive)).toEqual([true, false, false, false]);
    expect(await failure(stage.ask(slow, { type: 'echo' }))).toMatchObject({ code: 'SystemStopped' });
    expect(stage.system.tell(slow, { type: 'note' })).toBe(false);
    expect(stage.probed('thread.lost')).toEqual([]);
  });

  test('asks of an actor that is still stopping fail when the thread that it asked has left', async () => {
    const stage = await Stage.open();
    const id = await stage.spawn(HOST_A);
    const asking = failure(
      stage.ask(id, { type: 'forward', to: await stage.spawn(HOST_B), message: { type: 'hold' } }),
    );
    const begun = performance.now();
    await stage.close();
    expect(await asking).toMatchObject({ code: 'ActorEnded' });
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  test('a thread that an actor keeps busy with timers of its own is ended all the same', async () => {
    const stage = await Stage.open();
    await stage.ask(await stage.spawn(HOST_A), { type: 'keep-thread' });
    const begun = performance.now();
    await stage.close();
    expect(performance.now() - begun).toBeLessThan(8_000);
    expect(stage.system.inspect().threads.map(({ alive }) => alive)).toEqual([true, false, false, false]);
  });

  test('a process whose system has stopped ends by itself', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [fileURLToPath(actorModule('../script'))],
      {
        timeout: 20_000,
      },
    );
    expect(stdout).toBe('stopped\n');
  });

  test('a system that cannot start says why, and leaves no thread', async () => {
    const impossible = { name: Symbol('no name') as never, host: true };
    await expect(System.start([{ name: 'host', host: true }, impossible])).rejects.toThrow();
  });

  test('a thread that has stopped asks nothing any more and leaves no timer', async () => {
    const lab = await Lab.open(3);
    const id = await lab.spawn(2, { receive: () => new Promise(() => {}) });
    const pending = failure(lab.thread(0).router.ask(0, id, { type: 'm' }, {}));
    await lab.run();
    const timers = lab.clock.timers;
    await lab.thread(0).stopAll('enough');
    expect(await pending).toMatchObject({ code: 'SystemStopped' });
    expect(await failure(lab.thread(0).router.ask(0, id, { type: 'm' }, {}))).toMatchObject({
      code: 'SystemStopped',
    });
    expect(lab.clock.timers).toBe(timers - 1);
  });
});
