/** Deadlocks that span threads, under a clock and lines that the test holds. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type ActorId, NOBODY } from '../../src/runtime/address.js';
import { Band, type Message } from '../../src/runtime/message.js';
import type { Probe } from '../../src/runtime/probes.js';
import { ask, asker, type Outcome, outcomeOf } from './asker.js';
import { Lab } from './lab.js';

/** Longer than a search takes. */
const SEARCH_MS = 100;

let lab: Lab;
let probes: Probe[];
beforeEach(async () => {
  lab = await Lab.open(4);
  // Time goes on a little with each look at it, so that of two waits one is the newer.
  lab.clock.now = () => {
    lab.clock.ms += 0.001;
    return lab.clock.ms;
  };
  probes = [];
  for (const thread of lab.threads) thread.probes.on((probe) => probes.push(probe));
});
const spawn = (name: string, thread: number): Promise<ActorId> => lab.spawn(thread, asker, name);
const outcome = (id: ActorId, message: Message): Outcome => outcomeOf(lab.thread(0), id, message);
const deadlocks = (): Probe[] => probes.filter(({ name }) => name === 'deadlock');
const sleeper = (thread: number, ms: number): Promise<ActorId> =>
  lab.spawn(thread, {
    receive: () => new Promise((resolve) => void lab.clock.after(ms, () => resolve('slept'))),
  });

describe('R5 a deadlock across threads', () => {
  test('R5 a ring of two', async () => {
    const [ada, bob] = [await spawn('ada', 1), await spawn('bob', 2)];
    const result = outcome(ada, ask(bob, ask(ada, { type: 'greet' })));
    await lab.run(SEARCH_MS);
    expect(result.of).toBe(
      'Deadlock: bob waits for ada (greet), ada for bob (ask): a deadlock; the newest wait, that of bob, was ended',
    );
    expect(deadlocks()).toEqual([
      {
        name: 'deadlock',
        cycle: [
          { actor: 'bob', message: 'greet' },
          { actor: 'ada', message: 'ask' },
        ],
      },
    ]);
  });

  test.each([
    ['two threads', [2, 3, 2]],
    ['two threads, the other way round', [2, 2, 3]],
    ['three threads', [1, 2, 3]],
  ])('R5 a ring of three over %s, closed on each of them in turn', async (_, threads) => {
    for (const at of [0, 1, 2]) {
      const ring = await Promise.all(
        [0, 1, 2].map((i) => spawn(`${at}${i}`, threads[(at + i) % 3] as number)),
      );
      const [ada, bob, eve] = ring as [ActorId, ActorId, ActorId];
      const result = outcome(ada, ask(bob, ask(eve, ask(ada, { type: 'greet' }))));
      await lab.run(SEARCH_MS);
      expect(result.of).toContain(
        `${at}2 waits for ${at}0 (greet), ${at}0 for ${at}1 (ask), ${at}1 for ${at}2 (ask)`,
      );
    }
    expect(deadlocks()).toHaveLength(3);
  });

  test('R5 a ring closed from both sides at once ends one wait, and the other goes on', async () => {
    const [ada, bob] = [await spawn('ada', 1), await spawn('bob', 2)];
    const results = [outcome(ada, ask(bob, { type: 'greet' })), outcome(bob, ask(ada, { type: 'look' }))];
    await lab.run(SEARCH_MS);
    const ended = results.filter(({ of }) => String(of).startsWith('Deadlock'));
    expect(ended).toHaveLength(1);
    expect(results.map(({ of }) => of)).toContainEqual(expect.stringMatching(/^(greet|look)$/));
    expect(deadlocks()).toHaveLength(1);
  });

  test('R5 one ask that closes two rings', async () => {
    const [ada, bob, eve] = [await spawn('ada', 1), await spawn('bob', 2), await spawn('eve', 3)];
    const messages = [bob, eve].map((id) => ask(id, ask(ada, { type: 'greet' })));
    const result = outcome(ada, { type: 'all', messages });
    await lab.run(2 * SEARCH_MS);
    expect(result.of).toEqual(['Deadlock', 'Deadlock']);
  });

  test('R5 a second ring, where the first one found opens before it is looked at again', async () => {
    const [bob, eve] = [await spawn('bob', 3), await spawn('eve', 3)];
    const control = new AbortController();
    const dan: ActorId = await lab.spawn(2, (ctx) => ({
      receive: async (message: Message) => {
        if (message.type !== 'go') return message.type;
        await new Promise((resolve) => void lab.clock.after(500, () => resolve(undefined)));
        return ctx.ask(ada, { type: 'greet' }).catch((error) => error.code);
      },
    }));
    const ada: ActorId = await lab.spawn(1, (ctx) => ({
      receive: (message: Message) => {
        if (message.type !== 'go') return message.type;
        const first = ctx.ask(eve, ask(dan, { type: 'm' }));
        return Promise.allSettled([first, ctx.ask(bob, ask(dan, { type: 'm' }), { signal: control.signal })]);
      },
    }));
    const result = outcome(dan, { type: 'go' });
    outcome(ada, { type: 'go' });
    await lab.run(510);
    // The search goes by way of bob, and is dropped by way of eve where it meets itself.
    lab.busy.add(2);
    await lab.run(30);
    control.abort();
    lab.busy.delete(2);
    await lab.run(SEARCH_MS);
    expect(result.of).toBe('Deadlock');
  });

  test('R5 is found beside a search that was lost with a thread', async () => {
    const [ada, bob, eve] = [await spawn('ada', 1), await spawn('bob', 2), await spawn('eve', 3)];
    const first = outcome(ada, ask(bob, ask(eve, ask(ada, { type: 'greet' }))));
    await lab.run(10);
    lab.busy.add(3);
    await lab.run(SEARCH_MS);
    expect(first.of).toBeUndefined();
    for (const thread of [0, 1, 2]) lab.thread(thread).loseThread(3, 't3', 'lost');
    await lab.run(SEARCH_MS);
    expect(first.of).toContain('ThreadLost');
    const second = outcome(ada, ask(bob, ask(ada, { type: 'greet' })));
    await lab.run(SEARCH_MS);
    expect(second.of).toContain('Deadlock: bob waits for ada (greet)');
  });

  test('R5 a start waits with both bands closed', async () => {
    const bob = await spawn('bob', 2);
    const started = lab
      .spawn(
        1,
        async (ctx) => {
          await ctx.ask(bob, ask(ctx.self, { type: 'are you there' }, { band: Band.control }));
          return { receive: () => undefined };
        },
        'ada',
      )
      .catch((error) => error.message);
    await lab.run(SEARCH_MS);
    expect(await started).toContain('bob waits for ada (are you there), ada for bob (ask): a deadlock');
  });
});

describe('R5 no deadlock across threads', () => {
  test('R5 is a ring in which one answers on its control band', async () => {
    const [ada, bob] = [await spawn('ada', 1), await spawn('bob', 2)];
    const look = ask(ada, { type: 'look' }, { band: Band.control });
    expect(await settled(outcome(ada, ask(bob, look)))).toBe('look');
  });

  test('R5 is a ring in which one has taken its answer over', async () => {
    const [ada, bob] = [await spawn('ada', 1), await spawn('bob', 2)];
    const first = outcome(ada, ask(bob, { type: 'owe' }));
    await lab.run();
    const second = outcome(bob, ask(ada, { type: 'greet' }));
    await lab.run(1_000);
    expect([first.of, second.of, deadlocks()]).toEqual([undefined, undefined, []]);
    lab.thread(0).tell(NOBODY, bob, { type: 'pay' }, Band.control);
    expect([await settled(first), await settled(second)]).toEqual(['paid', 'greet']);
  });

  test('R5 is a ring in which one has taken over the answer to what it still has in hand', async () => {
    const [ada, bob] = [await spawn('ada', 1), await spawn('bob', 2)];
    const first = outcome(ada, ask(bob, { ...ask(ada, { type: 'greet' }), type: 'owe and ask' }));
    await lab.run(1_000);
    expect([first.of, deadlocks()]).toEqual([undefined, []]);
    lab.thread(0).tell(NOBODY, bob, { type: 'pay' }, Band.control);
    expect(await settled(first)).toBe('paid');
  });

  test('R5 is an ask of a handler that has ended', async () => {
    const bob = await spawn('bob', 2);
    const heard: unknown[] = [];
    const ada = await lab.spawn(1, (ctx) => ({
      receive: (message: Message) => {
        if (message.type === 'sleep')
          return new Promise((resolve) => void lab.clock.after(1_000, () => resolve('slept')));
        if (message.type === 'go')
          ctx.ask(bob, ask(ctx.self, { type: 'greet' })).then(
            (value) => heard.push(value),
            (error) => heard.push(error.code),
          );
        return message.type;
      },
    }));
    const results = [outcome(ada, { type: 'go' }), outcome(ada, { type: 'sleep' })];
    await lab.run(500);
    expect(heard).toEqual([]);
    await lab.run(1_000);
    expect([heard, ...results.map(({ of }) => of)]).toEqual([['greet'], 'go', 'slept']);
  });

  test('R5 is a chain over threads whose end goes on', async () => {
    const end = await sleeper(3, 1_000);
    let message: Message = ask(end, { type: 'm' });
    const chain: ActorId[] = [];
    for (let i = 0; i < 30; i++) {
      const id = await spawn(`link ${i}`, 1 + (i % 3));
      if (i > 0) message = ask(chain.at(-1) as ActorId, message);
      chain.push(id);
    }
    const first = outcome(chain.at(-1) as ActorId, message);
    await lab.run();
    const behind = chain.map((id) => outcome(id, { type: 'm' }));
    await lab.run(500);
    expect([first, ...behind].every(({ of }) => of === undefined)).toBe(true);
    await lab.run(1_000);
    expect(first.of).toBe('slept');
    expect(behind.every(({ of }) => of === 'm')).toBe(true);
    expect(deadlocks()).toEqual([]);
  });

  test('R5 is a ring that opens between the two looks at it', async () => {
    const bob = await spawn('bob', 2);
    const control = new AbortController();
    const sleep = (): Promise<unknown> =>
      new Promise((resolve) => void lab.clock.after(1_000, () => resolve('slept')));
    const eve = await lab.spawn(1, (ctx) => ({
      receive: (message: Message) =>
        message.type === 'go'
          ? ctx.ask(bob, ask(ctx.self, { type: 'greet' }), { signal: control.signal }).catch(sleep)
          : message.type,
    }));
    const result = outcome(eve, { type: 'go' });
    await lab.run();
    // The search has left the first thread, and what it has seen there changes before it is back.
    lab.busy.add(2);
    await lab.run(30);
    control.abort();
    lab.busy.delete(2);
    await lab.run(500);
    expect(deadlocks()).toEqual([]);
    await lab.run(1_000);
    expect(result.of).toBe('slept');
  });
});

async function settled(result: Outcome): Promise<unknown> {
  await lab.run(SEARCH_MS);
  return result.of;
}
