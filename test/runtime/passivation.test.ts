import { beforeEach, describe, expect, test } from 'vitest';
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import { type ActorId, threadActor } from '../../src/runtime/address.js';
import type { ActorReport } from '../../src/runtime/inspect.js';
import { readActors } from '../../src/runtime/inspect.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { eventually, HOST_A, Stage } from './stage.js';

const IDLE_MS = 1_000;
const HOST = 2;

let lab: Lab;
let starts: number[];
let stops: string[];

/** Counts; what it has counted is its saved state. */
function counter(extra: Partial<Behaviour> = {}) {
  return (ctx: Context, _args: unknown, saved: ReadonlyMap<string, unknown>): Behaviour => {
    starts.push(ctx.incarnation);
    let count = (saved.get('count') as number | undefined) ?? 0;
    const behaviour: Behaviour = {
      receive(message: { type: string; ms?: number; on?: ActorId }) {
        if (message.type === 'after') ctx.after(message.ms ?? 0, { type: 'late' });
        if (message.type === 'wait') {
          ctx.wait({ for: message.on ?? ctx.self, reason: 'test', deadlineMs: 60_000 });
        }
        if (message.type === 'later') return ctx.replyLater();
        ctx.save('count', ++count);
        return count;
      },
      control: () => count,
      stop: (reason) => void stops.push(reason),
      ...extra,
    };
    return behaviour;
  };
}

const spawn = (behaviour = counter(), name = 'counter'): Promise<ActorId> =>
  lab.spawn(HOST, behaviour, name, { passivateMs: IDLE_MS });

function report(id: ActorId): ActorReport | undefined {
  const { board, number, name } = lab.thread(HOST);
  return readActors(board, { number, name }, lab.clock.ms).find((actor) => actor.id === id);
}

/** Asks from another thread, and runs until it is answered. */
async function ask(id: ActorId, type = 'count', fields: object = {}, band: Band = Band.user) {
  const answer = lab
    .thread(0)
    .ask<number>(threadActor(0), id, { type, ...fields }, { band, deadlineMs: 600_000 });
  answer.catch(() => {});
  await lab.run();
  return answer;
}

beforeEach(async () => {
  lab = await Lab.open(3);
  starts = [];
  stops = [];
});

describe('R4 an idle actor vanishes', () => {
  test('R4 after so long without a message, its state with the store, and the next message brings it back', async () => {
    const id = await spawn();
    expect(await ask(id)).toBe(1);
    await lab.run(IDLE_MS * 1.3);
    expect(report(id)?.state).toBe('passive');
    expect(stops).toEqual(['it was idle']);
    expect(lab.thread(HOST).cell(id)?.behaviour).toBeUndefined();
    expect(await ask(id)).toBe(2);
    expect(report(id)).toMatchObject({ state: 'idle', restarts: 0, name: 'counter' });
    expect(starts).toEqual([0, 1]);
  });

  test.each([
    ['user', Band.user, 2],
    ['control', Band.control, 1],
  ])('R4 a %s message is kept while it starts', async (_, band, value) => {
    const id = await spawn();
    await ask(id);
    await lab.run(2 * IDLE_MS);
    expect(report(id)?.state).toBe('passive');
    expect(await ask(id, 'count', {}, band)).toBe(value);
  });

  test('R4 one that stops itself when asked whether it may vanish has ended', async () => {
    const extra = { passivate: () => void lab.thread(HOST).cell(id)?.context?.stop() };
    const id = await spawn(counter(extra));
    await ask(id);
    await lab.run(2 * IDLE_MS);
    expect(report(id)).toBeUndefined();
    expect(stops).toEqual(['it stopped itself']);
  });

  test('R4 again and again, and messages come in order', async () => {
    const id = await spawn();
    for (let round = 0; round < 3; round++) {
      for (let i = 1; i <= 10; i++) lab.thread(0).tell(threadActor(0), id, { type: 'count' }, Band.user);
      await lab.run(2 * IDLE_MS);
      expect(report(id)?.state).toBe('passive');
    }
    expect(await ask(id)).toBe(31);
    expect(starts).toEqual([0, 1, 2, 3]);
  });

  test('R4 one that is spoken to stays', async () => {
    const id = await spawn();
    for (let i = 0; i < 8; i++) {
      await ask(id);
      await lab.run(IDLE_MS / 2);
    }
    expect(starts).toEqual([0]);
  });

  test.each([
    ['a timer', 'after', { ms: 10 * IDLE_MS }],
    ['a wait', 'wait', {}],
    ['an answer that it owes', 'later', {}],
  ])('R4 not while it holds %s', async (_, type, fields) => {
    const id = await spawn();
    void ask(id, type, fields);
    await lab.run(5 * IDLE_MS);
    expect(report(id)?.state).not.toBe('passive');
  });

  test('R4 not while a handler awaits', async () => {
    const id = await spawn(counter({ receive: () => new Promise(() => {}) }));
    void ask(id);
    await lab.run(5 * IDLE_MS);
    expect(report(id)?.state).toBe('awaiting');
  });

  test('R4 not when it says that it cannot', async () => {
    const id = await spawn(counter({ passivate: () => false }));
    await lab.run(5 * IDLE_MS);
    expect(report(id)?.state).toBe('idle');
  });

  test('R4 what it hands over at the last moment is there when it is back', async () => {
    const id = await spawn(counter({ passivate: (ctx) => void ctx.save('count', 41) }));
    await lab.run(2 * IDLE_MS);
    expect(await ask(id)).toBe(42);
  });

  test('R4 one that throws when it is to vanish has crashed, and starts again', async () => {
    const id = await spawn(
      counter({
        passivate() {
          throw new Error('not like this');
        },
      }),
    );
    await lab.run(IDLE_MS * 1.3);
    expect(report(id)).toMatchObject({ restarts: 1, lastError: 'not like this' });
  });

  test('R4 messages wait for a stop that takes its time', async () => {
    let stopped = (): void => {};
    const stop = () => new Promise<void>((resolve) => (stopped = resolve));
    const id = await spawn(counter({ stop }));
    await lab.run(2 * IDLE_MS);
    const answer = ask(id);
    await lab.run();
    expect(starts).toEqual([0]);
    stopped();
    await lab.run();
    expect(await answer).toBe(1);
  });

  test('R4 it is no end for those who watch it, and its own watches stay', async () => {
    const seen: unknown[] = [];
    const notice = (ended: unknown): void => void seen.push(ended);
    const other = await lab.spawn(0, { notice });
    const id = await spawn(counter({ notice }));
    lab.thread(0).watches.watch(other, id);
    lab.thread(HOST).watches.watch(id, other);
    await lab.run(2 * IDLE_MS);
    expect(report(id)?.state).toBe('passive');
    expect(seen).toEqual([]);
    const cell = lab.thread(0).cell(other);
    cell?.context?.stop();
    await lab.run();
    expect(seen).toMatchObject([{ type: 'ended', id: other }]);
    expect(starts).toEqual([0, 1]);
  });

  test('R4 a passive actor can be stopped; its messages are dead letters then', async () => {
    const id = await spawn();
    await lab.run(2 * IDLE_MS);
    const thread = lab.thread(0);
    const stopped = thread.ask(
      threadActor(0),
      threadActor(HOST),
      { type: 'stop', id, reason: 'test' },
      { band: Band.reserved },
    );
    await lab.run();
    await stopped;
    await expect(ask(id)).rejects.toMatchObject({ code: 'ActorEnded' });
    expect(stops).toEqual(['it was idle']);
  });

  test('R4 a start that fails is tried again with the message kept', async () => {
    let fails = 2;
    const start = counter();
    const id = await spawn((ctx, args, saved) => {
      if (ctx.incarnation > 0 && fails-- > 0) throw new Error('not yet');
      return start(ctx, args, saved);
    });
    await ask(id);
    await lab.run(2 * IDLE_MS);
    const answer = ask(id);
    await lab.run(500);
    expect(await answer).toBe(2);
    expect(report(id)).toMatchObject({ restarts: 2, lastError: 'not yet' });
  });

  test('R1 no timer runs when all that may vanish have', async () => {
    await Promise.all([spawn(counter(), 'a'), spawn(counter(), 'b')]);
    expect(lab.thread(HOST).passivation.size).toBe(2);
    await lab.run(5 * IDLE_MS);
    expect(lab.thread(HOST).passivation.size).toBe(0);
    expect(lab.thread(HOST).deadlines.size).toBe(0);
  });
});

test('R4 across real threads a passive actor is found, asked and restored', async () => {
  const stage = await Stage.open();
  const id = await stage.system.spawn({
    name: 'sleeper',
    module: new URL('./actors/puppet.mjs', import.meta.url).href,
    args: {},
    thread: HOST_A,
    passivateMs: 50,
  });
  await stage.ask(id, { type: 'save', changes: { kept: 'yes' } });
  await eventually(() => stage.report(id)?.state === 'passive');
  expect(await stage.system.lookup('sleeper')).toBe(id);
  expect(await stage.system.peek(id)).toMatchObject({ name: 'sleeper', queued: [], waits: [] });
  expect(await stage.ask(id, { type: 'saved' })).toEqual({ kept: 'yes' });
  await expect(
    stage.system.spawn({ name: 'wrong', module: 'x', args: {}, passivateMs: -1 }),
  ).rejects.toMatchObject({ code: 'BadArgument', detail: { argument: 'passivateMs' } });
  await stage.close();
});
