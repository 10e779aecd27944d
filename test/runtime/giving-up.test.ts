/**
 * R4: a supervisor that is giving up: its children meanwhile, and that it may crash before it has ended them all.
 */
import { expect, test } from 'vitest';
import type { Context, Definition } from '../../src/runtime/actor.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { TestSystem, type Wrapping } from '../../src/testing/index.js';

const child: Definition = {
  kind: 'child',
  start: () => ({
    receive: ({ type }: { type: string }) => {
      if (type === 'crash') throw new Error('as it was told');
      return type;
    },
  }),
};

/** The first supervisor of that name that hears of a child's end crashes over it. */
function crashing(name: string): Wrapping {
  let crashes = 1;
  return {
    context: <T>(ctx: T): T => ctx,
    behaviour: (behaviour, ctx: Context) => {
      if (ctx.name !== name) return behaviour;
      return {
        receive: (message: never) => behaviour.receive(message, ctx),
        control: (message: never) => {
          if ((message as { type: string }).type === 'gone' && crashes-- > 0) throw new Error('as planned');
          return behaviour.control?.(message, ctx);
        },
        notice: (notice) => behaviour.notice?.(notice, ctx),
        stop: (reason) => behaviour.stop?.(reason),
      };
    },
  };
}

test('R4 a supervisor that crashes while it ends its children starts all of them anew', async () => {
  const stage = await TestSystem.start({ wrappings: [crashing('inner')] });
  const module = await stage.module(child);
  await stage.module(SUPERVISOR);
  const names = ['first', 'second', 'third'];
  const children = names.map((name) => ({ name, module, args: {} }));
  const intensity = { count: 0, withinMs: 1_000 };
  const inner = {
    name: 'inner',
    module: SUPERVISOR,
    args: { strategy: 'one-for-one', intensity, children },
  };
  await stage.spawn({
    name: 'outer',
    actor: SUPERVISOR,
    args: { strategy: 'one-for-one', children: [inner] },
  });
  const id = async (name: string): Promise<number> =>
    (await stage.settle(stage.system.lookup(name))) as number;
  const before = await Promise.all(names.map(id));
  stage.tell(before[1] as number, { type: 'crash' });
  await stage.advance(30_000);
  for (const [i, name] of names.entries()) {
    const now = await id(name);
    expect(now).toBeDefined();
    expect(now).not.toBe(before[i]);
    expect(await stage.ask(now, { type: 'here' })).toBe('here');
  }
});

test('R4 a child over which its supervisor gives up is not started again, however long its siblings take to end', async () => {
  let starts = 0;
  const counted: Definition = {
    kind: 'counted',
    start: (ctx, args, saved) => {
      starts++;
      return child.start(ctx, args, saved);
    },
  };
  const stage = await TestSystem.start();
  const slow: Definition = {
    kind: 'slow',
    start: () => ({
      receive: () => undefined,
      stop: () => new Promise((resolve) => stage.system.main.clock.after(2_000, () => resolve())),
    }),
  };
  const children = [
    { name: 'counted', module: await stage.module(counted), args: {} },
    { name: 'slow', module: await stage.module(slow), args: {} },
  ];
  const intensity = { count: 0, withinMs: 1_000 };
  const args = { strategy: 'one-for-one', intensity, children };
  await stage.spawn({ name: 'parent', actor: SUPERVISOR, args });
  const id = (await stage.settle(stage.system.lookup('counted'))) as number;
  stage.tell(id, { type: 'crash' });
  await stage.advance(60_000);
  expect(starts).toBe(1);
  expect(await stage.settle(stage.system.lookup('counted'))).toBeUndefined();
});
