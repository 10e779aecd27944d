/** A supervisor that crashes itself while its children are about to start again: whatever was under way, all are up soon. */
import { expect, test } from 'vitest';
import type { Definition } from '../../src/runtime/actor.js';
import { Band, type Message } from '../../src/runtime/message.js';
import supervisor from '../../src/runtime/supervisor.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { TestSystem } from '../../src/testing/index.js';

const HOSTS = [2, 3];
/** When the supervisor crashes, in ms after the crash that it deals with; some are within, some after its restart. */
const MOMENTS = Array.from({ length: 24 }, (_, i) => i);
const SOON_MS = 120_000;
const INTENSITY = { count: 100, withinMs: 1_000 };
const BACKOFF = { firstMs: 4, mostMs: 8, jitter: 0 };

const child: Definition = {
  kind: 'child',
  start: () => ({
    receive({ type }: Message) {
      if (type === 'crash') throw new Error('told to');
      return type;
    },
  }),
};

/** A supervisor that crashes when it is told to. */
const fragile: Definition<never> = {
  kind: 'fragile',
  async start(ctx, args, saved) {
    const made = await supervisor.start(ctx, args, saved);
    return {
      receive: (message: Message) => made.receive(message as never, ctx),
      control(message: Message) {
        if (message.type === 'crash') throw new Error('told to');
        return made.control?.(message as never, ctx);
      },
      stop: (reason) => made.stop?.(reason),
    };
  },
};

test.each([
  ['one-for-one', 'three'],
  ['rest-for-one', 'one'],
  ['one-for-all', 'two'],
  ['one-for-all', 'three'],
] as const)(
  'R4 all children of a %s supervisor start that crashes while it deals with a crash of %s',
  async (strategy, crashed) => {
    for (const moment of MOMENTS) {
      const threads = HOSTS.map((number) => ({ name: `host-${number}`, host: true }));
      const stage = await TestSystem.start({ seed: moment + 1, threads, delayMs: () => moment % 3 });
      // From here on the system knows both by the names of their modules.
      await stage.stopActor(await stage.spawn({ name: 'known', actor: child, thread: 2 }));
      const none = { strategy: 'one-for-one', children: [] };
      await stage.stopActor(await stage.spawn({ name: 'known', actor: SUPERVISOR, args: none, thread: 2 }));
      const leaf = (name: string, thread: number) => ({
        ...{ name, module: 'test:child/1', args: undefined, thread },
      });
      // With its child this one is down for good; it is a child itself, and so its own supervisor is asked.
      const inner = {
        ...{ name: 'inner', module: SUPERVISOR, thread: 3 },
        args: { strategy: 'one-for-one', children: [leaf('three', 2)], intensity: { count: 0, withinMs: 1 } },
      };
      const children = [leaf('one', 2), leaf('two', 3), inner];
      const args = { strategy, children, intensity: INTENSITY, backoff: BACKOFF } as never;
      const sup = await stage.spawn({ name: 'sup', actor: fragile, args, thread: 2 });
      const id = async (name: string) => (await stage.settle(stage.system.lookup(name))) as number;
      const failed = stage.system.ask(await id(crashed), { type: 'crash' }).catch(() => {});
      await stage.advance(moment);
      stage.tell(sup, { type: 'crash' }, { band: Band.control });
      await stage.advance(SOON_MS);
      await stage.settle(failed);
      const states = stage.system.inspect().actors.map(({ name, state }) => [name, state]);
      const there = Object.fromEntries(
        states.filter(([name]) => ['one', 'two', 'three', 'inner'].includes(name as string)),
      );
      expect({ moment, ...there }).toEqual({
        moment,
        one: 'idle',
        two: 'idle',
        three: 'idle',
        inner: 'idle',
      });
      await stage.stop();
    }
  },
);
