/** Deadlocks within one thread: found by the ask that closes the ring, at once. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ActorId } from '../../src/runtime/address.js';
import { Band, type Message } from '../../src/runtime/message.js';
import type { Probe } from '../../src/runtime/probes.js';
import { type Asking, ask, asker, type Outcome, outcomeOf } from './asker.js';
import { Lab } from './lab.js';

let lab: Lab;
const probes: Probe[] = [];
beforeEach(async () => {
  lab = await Lab.open(2);
  probes.length = 0;
  lab.thread(0).probes.on((probe) => probes.push(probe));
});

const spawn = (name: string): Promise<ActorId> => lab.spawn(0, asker, name);
const outcome = (id: ActorId, message: Message): Outcome => outcomeOf(lab.thread(0), id, message);
const deadlocks = (): unknown[] => probes.filter(({ name }) => name === 'deadlock').map(({ cycle }) => cycle);

describe('R5 a deadlock within a thread', () => {
  test('R5 a ring of two ends with its newest wait, named from there on', async () => {
    const [ada, bob] = [await spawn('ada'), await spawn('bob')];
    const first = outcome(ada, ask(bob, ask(ada, { type: 'greet' })));
    await lab.run();
    expect(first.of).toBe(
      'Deadlock: bob waits for ada (greet), ada for bob (ask): a deadlock; the newest wait, that of bob, was ended',
    );
    expect(deadlocks()).toEqual([
      [
        { actor: 'bob', message: 'greet' },
        { actor: 'ada', message: 'ask' },
      ],
    ]);
  });

  test('R5 a ring of three; the others of it go on', async () => {
    const [ada, bob, eve] = [await spawn('ada'), await spawn('bob'), await spawn('eve')];
    const result = outcome(ada, ask(bob, ask(eve, ask(ada, { type: 'greet' }))));
    const behind = [ada, bob, eve].map((id) => outcome(id, { type: 'm' }));
    await lab.run();
    expect(result.of).toContain('Deadlock: eve waits for ada (greet), ada for bob (ask), bob for eve (ask)');
    expect(behind.map(({ of }) => of)).toEqual(['m', 'm', 'm']);
  });

  test('R5 a handler that does not catch it crashes, as with any failed ask', async () => {
    const ada = await spawn('ada');
    const bob = await lab.spawn(0, (ctx) => ({ receive: () => ctx.ask(ada, { type: 'greet' }) }), 'bob');
    const result = outcome(ada, ask(bob, { type: 'm' }));
    await lab.run();
    expect(result.of).toContain('ActorCrashed: bob crashed while it handled m: bob waits for ada (greet)');
  });

  test('R5 an actor that asks itself waits for itself', async () => {
    const ada = await spawn('ada');
    const result = outcome(ada, ask(ada, { type: 'greet' }));
    await lab.run();
    expect(result.of).toContain('ada waits for itself (greet): a deadlock');
    const onControl = outcome(ada, ask(ada, { type: 'greet' }, { band: Band.control }));
    await lab.run();
    expect(onControl.of).toBe('greet');
  });

  test('R5 each of several asks that close a ring is ended', async () => {
    const bob = await spawn('bob');
    const ada = await lab.spawn(0, (ctx) => ({
      receive: () =>
        Promise.allSettled([1, 2].map((n) => ctx.ask(bob, { type: `greet ${n}` }))).then((all) =>
          all.map(({ status }) => status),
        ),
    }));
    const result = outcome(bob, ask(ada, { type: 'go' }));
    await lab.run();
    expect(result.of).toEqual(['rejected', 'rejected']);
    expect(deadlocks()).toHaveLength(2);
  });

  test('R5 a start waits with both bands closed', async () => {
    const bob = await spawn('bob');
    const started = lab
      .spawn(
        0,
        async (ctx) => {
          await ctx.ask(bob, ask(ctx.self, { type: 'are you there' }, { band: Band.control }));
          return { receive: () => undefined };
        },
        'ada',
      )
      .catch((error) => error.message);
    await lab.run();
    expect(await started).toContain('bob waits for ada (are you there), ada for bob (ask): a deadlock');
  });
});

describe('R5 no deadlock', () => {
  test('R5 is an ask that a handler makes and does not wait for', async () => {
    const bob = await spawn('bob');
    const heard: unknown[] = [];
    const ada = await lab.spawn(0, (ctx) => ({
      receive: (message: Message) => {
        if (message.type !== 'go') return message.type;
        // Both can be answered once this handler has ended, which it does at once.
        for (const to of [ctx.self, bob]) {
          const what = to === bob ? ask(ctx.self, { type: 'greet' }) : { type: 'myself' };
          ctx.ask(to, what).then(
            (value) => heard.push(value),
            (error) => heard.push(error.code),
          );
        }
        return undefined;
      },
    }));
    outcome(ada, { type: 'go' });
    await lab.run();
    expect(heard).toEqual(['myself', 'greet']);
  });

  test('R5 is an ask made by an earlier handler, or by a control handler', async () => {
    const bob = await spawn('bob');
    const heard: unknown[] = [];
    const ada = await lab.spawn(0, (ctx) => {
      const askBob = (): void => {
        const message = ask(ctx.self, { type: 'greet' });
        ctx.ask(bob, message).then(
          (value) => heard.push(value),
          (error) => heard.push(error.code),
        );
      };
      return {
        receive: (message: Message) => {
          if (message.type === 'sleep')
            return new Promise((resolve) => void lab.clock.after(100, () => resolve(0)));
          if (message.type === 'go') askBob();
          return message.type;
        },
        control: askBob,
      };
    });
    outcome(ada, { type: 'go' });
    outcome(ada, { type: 'sleep' });
    lab.thread(0).tell(0, ada, { type: 'go' }, Band.control);
    await lab.run();
    expect(heard).toEqual([]);
    await lab.run(100);
    expect(heard).toEqual(['greet', 'greet']);
  });

  test('R5 is a ring in which one answers on its control band', async () => {
    const [ada, bob] = [await spawn('ada'), await spawn('bob')];
    const result = outcome(ada, ask(bob, ask(ada, { type: 'look' }, { band: Band.control })));
    await lab.run();
    expect(result.of).toBe('look');
  });

  test('R5 is a ring in which one has taken its answer over', async () => {
    const [ada, bob] = [await spawn('ada'), await spawn('bob')];
    const first = outcome(ada, ask(bob, { type: 'owe' }));
    await lab.run();
    const second = outcome(bob, ask(ada, { type: 'greet' }));
    await lab.run(1_000);
    expect([first.of, second.of]).toEqual([undefined, undefined]);
    lab.thread(0).tell(0, bob, { type: 'pay' }, Band.control);
    await lab.run();
    expect([first.of, second.of]).toEqual(['paid', 'greet']);
  });

  test('R5 is a ring that an abort or a deadline opened before it closed', async () => {
    const ada = await spawn('ada');
    const control = new AbortController();
    const eve = await lab.spawn(0, (ctx) => ({
      receive: async (message: Asking) => {
        await new Promise((resolve) => void lab.clock.after(100, () => resolve(0)));
        return await ctx.ask(message.to, message.message);
      },
    }));
    const aborted = outcome(ada, ask(eve, ask(ada, { type: 'greet' }), { signal: control.signal }));
    await lab.run(50);
    control.abort();
    await lab.run(100);
    expect(aborted.of).toContain('Aborted');
    expect(deadlocks()).toEqual([]);
  });

  test('R5 is a chain, however long, whose end goes on', async () => {
    const chain = await Promise.all(Array.from({ length: 300 }, (_, i) => spawn(`link ${i}`)));
    const end = await lab.spawn(0, {
      receive: () => new Promise((resolve) => void lab.clock.after(100, () => resolve('the end'))),
    });
    let message: Message = ask(end, { type: 'm' });
    for (const id of chain.slice(0, -1)) message = ask(id, message);
    const all = [outcome(chain.at(-1) as ActorId, message)];
    await lab.run();
    for (const id of chain.slice(0, 3)) all.push(outcome(id, { type: 'm' }));
    await lab.run(50);
    expect(all.map(({ of }) => of)).toEqual([undefined, undefined, undefined, undefined]);
    await lab.run(100);
    expect(all.map(({ of }) => of)).toEqual(['the end', 'm', 'm', 'm']);
  });
});
