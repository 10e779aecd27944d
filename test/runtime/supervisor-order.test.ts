/** What a supervisor and its children's threads say to one another comes in any order; nobody waits for long. */
import { expect, test } from 'vitest';
import type { Definition } from '../../src/runtime/actor.js';
import type { Message } from '../../src/runtime/message.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { TestSystem } from '../../src/testing/index.js';

const HOSTS = [2, 3];
const SEEDS = 40;
/** Of what the restart of three children waits for: their backoff, and a few ways between threads. */
const SOON_MS = 1_000;

const child: Definition = {
  kind: 'child',
  start: (ctx) => ({
    receive({ type }: Message) {
      if (type === 'crash') throw new Error('told to');
      return ctx.incarnation;
    },
  }),
};

test.each(['one', 'two', 'three'])(
  'R4 all start again soon after a crash of %s, by any seed',
  async (crashed) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      let turn = seed;
      const delayMs = (): number => {
        turn = (turn * 48_271) % 2_147_483_647;
        return turn % 4;
      };
      const threads = HOSTS.map((number) => ({ name: `host-${number}`, host: true }));
      const stage = await TestSystem.start({ seed, threads, delayMs });
      // From here on the system knows it by a module's name.
      await stage.stopActor(await stage.spawn({ name: 'known', actor: child, thread: 2 }));
      const children = ['one', 'two', 'three'].map((name, i) => ({
        ...{ name, module: 'test:child/1', args: undefined, thread: HOSTS[i % 2] as number },
      }));
      const args = { strategy: 'one-for-all', children, backoff: { firstMs: 1, mostMs: 5, jitter: 0 } };
      await stage.spawn({ name: 'sup', actor: SUPERVISOR, args, thread: 2 });
      const id = async (name: string): Promise<number> =>
        (await stage.settle(stage.system.lookup(name))) as number;
      const failed = stage.system.ask(await id(crashed), { type: 'crash' }).catch(() => {});
      await stage.advance(SOON_MS);
      await stage.settle(failed);
      const answers = [];
      for (const { name } of children) answers.push(await stage.ask(await id(name), { type: 'incarnation' }));
      expect({ seed, answers, soon: stage.now < 5_000 }).toEqual({ seed, answers: [1, 1, 1], soon: true });
      await stage.stop();
    }
  },
);
