/** What docs/semantics.md states in passing, each held by a test of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { threadActor } from '../../src/runtime/address.js';
import { readActors } from '../../src/runtime/inspect.js';
import { Band } from '../../src/runtime/message.js';
import type { TracedEvent } from '../../src/runtime/trace-protocol.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { Lab } from './lab.js';
import { actorModule, eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

describe('in virtual time', () => {
  test('R3 an ask that names no deadline has five seconds', async () => {
    const lab = await Lab.open(3);
    const deaf = await lab.spawn(2, { receive: () => new Promise(() => {}) });
    let error: unknown;
    lab
      .thread(0)
      .router.ask(0, deaf, { type: 'm' }, {})
      .catch((reason: unknown) => {
        error = reason;
      });
    await lab.run(4_990);
    expect(error).toBeUndefined();
    await lab.run(20);
    expect(error).toMatchObject({ code: 'AskTimeout', detail: { message: 'm', waitedMs: 5_000 } });
  });

  test('R4 a start has thirty seconds, and one that takes longer leaves no actor', async () => {
    const lab = await Lab.open(3);
    let error: unknown;
    lab
      .spawn(2, () => new Promise<never>(() => {}), 'sleepy')
      .catch((reason: unknown) => {
        error = reason;
      });
    await lab.run(29_990);
    expect(error).toBeUndefined();
    expect(
      lab
        .thread(2)
        .cells()
        .some(({ name }) => name === 'sleepy'),
    ).toBe(true);
    await lab.run(20_000);
    expect(error).toMatchObject({ code: 'AskTimeout', detail: { message: 'start', waitedMs: 30_000 } });
    expect(
      lab
        .thread(2)
        .cells()
        .some(({ name }) => name === 'sleepy'),
    ).toBe(false);
  });

  test('R6 the time of a handler is what it held its thread for until it ended or first awaited', async () => {
    const lab = await Lab.open(3);
    const work = (ms: number): void => {
      lab.clock.ms += ms;
    };
    const held = await lab.spawn(2, { receive: () => work(5) }, 'held');
    const awaited = await lab.spawn(
      2,
      {
        receive: async () => {
          work(0.5);
          await Promise.resolve();
          work(50);
        },
      },
      'awaited',
    );
    for (const id of [held, awaited]) lab.thread(0).router.tell(0, id, { type: 'm' }, Band.user);
    await lab.run(100);
    const thread = { number: 2, name: 't2' };
    const times = Object.fromEntries(
      readActors(lab.thread(2).board, thread, lab.clock.ms).map(({ name, handlerMs }) => [name, handlerMs]),
    );
    expect(times).toMatchObject({ held: { p50: 10, p99: 10 }, awaited: { p50: 1, p99: 1 } });
  });
});

describe('on real threads', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  test('R3 what is queued at an actor that ends are dead letters, counted; the message in hand is none', async () => {
    const id = await stage.spawn(HOST_A);
    const letters = (): number => stage.system.inspect().threads[HOST_A]?.deadLetters ?? 0;
    const before = letters();
    const held = failure(stage.ask(id, { type: 'hold' }));
    for (let i = 0; i < 3; i++) stage.system.tell(id, { type: 'note', value: i });
    await eventually(() => stage.report(id)?.depth.user === 3);
    await stage.system.stopActor(id, 'enough');
    expect(await held).toMatchObject({ code: 'ActorEnded', detail: { reason: 'enough' } });
    expect(letters() - before).toBe(3);
  });

  test("R6 a trace of everything has nothing of the threads' own actors", async () => {
    const seen: TracedEvent[] = [];
    const stop = stage.system.trace({}, { seen: (events) => seen.push(...events), over: () => {} });
    const ids = await Promise.all([HOST_A, HOST_B].map((thread) => stage.spawn(thread)));
    await Promise.all(ids.map((id) => stage.system.peek(id)));
    await Promise.all(ids.map((id) => stage.ask(id, { type: 'echo' })));
    await eventually(() =>
      ids.every((id) => seen.some(({ actor, type }) => actor === id && type === 'echo')),
    );
    stop();
    const own = [0, 1, 2, 3].map(threadActor);
    expect(seen.filter(({ actor }) => own.includes(actor))).toEqual([]);
  });

  test('R4 a child that cannot come back with its thread is made anew, at another address', async () => {
    const child = { name: 'frail', module: actorModule('puppet'), args: { crashesAgain: 1 }, thread: HOST_B };
    const args = { strategy: 'one-for-one', children: [child] };
    await stage.system.spawn({ name: 'keeper', module: SUPERVISOR, args, thread: HOST_A });
    const first = (await stage.system.lookup('frail')) as number;
    await stage.ask(first, { type: 'save', changes: { crashes: 1 } });
    await stage.system.terminateThread(HOST_B);
    const second = await eventually(async () => {
      const id = await stage.system.lookup('frail');
      return id === first ? undefined : id;
    });
    expect(await stage.ask(second, { type: 'saved' })).toEqual({});
    expect(await stage.system.ended(first, 'frail')).toBe('its start failed: cannot start again');
    expect(await failure(stage.ask(first, { type: 'echo' }))).toMatchObject({ code: 'ActorEnded' });
  });
});
