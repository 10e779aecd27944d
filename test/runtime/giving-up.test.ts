/**
 * R4: a supervisor that is giving up, and crashes before it has ended all its children.
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
