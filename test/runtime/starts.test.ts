/**
 * What actors give the runtime that is no use to it: refused at once, by a typed error at the place where it was given.
 */
import { expect, test } from 'vitest';
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import { threadActor } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { failure } from './stage.js';

const HOST = 2;
const ask = (lab: Lab, id: number, type: string): Promise<unknown> =>
  lab.thread(0).ask(threadActor(0), id, { type }, { band: Band.control });

test.each([undefined, null, 5, {}, { control: () => 1 }])(
  'R4 a start that answers %j, and no behaviour, has failed',
  async (answer) => {
    const lab = await Lab.open(3);
    const spawned = failure(lab.spawn(HOST, () => answer as never));
    await lab.run();
    expect(await spawned).toMatchObject({ code: 'BadArgument', detail: { argument: 'what start answers' } });
    expect(lab.thread(HOST).cells()).toHaveLength(1);
  },
);

test('R4 a start may answer with anything that can be awaited', async () => {
  const lab = await Lab.open(3);
  const behaviour: Behaviour = { receive: () => undefined, control: () => 'here' };
  const then = (heard: (value: Behaviour) => void): void => void setImmediate(() => heard(behaviour));
  const awaited = Object.fromEntries([['then', then]]);
  const spawned = lab.spawn(HOST, () => awaited as never);
  await lab.run();
  const answer = ask(lab, await spawned, 'where');
  await lab.run();
  expect(await answer).toBe('here');
});

test.each<[string, (ctx: Context) => unknown]>([
  ['a later message without a type', (ctx) => ctx.after(5, {} as never)],
  ['a message on a band that there is not', (ctx) => ctx.tell(ctx.self, { type: 'x' }, { band: 9 as never })],
  ['the same to another thread', (ctx) => ctx.tell(threadActor(0), { type: 'x' }, { band: 9 as never })],
])('R3 %s is refused where it is sent', async (_, send) => {
  const lab = await Lab.open(3);
  const thrown: unknown[] = [];
  const control = (_message: never, ctx: Context): void => {
    try {
      send(ctx);
    } catch (error) {
      thrown.push(error);
    }
  };
  const id = await lab.spawn(HOST, { control });
  void ask(lab, id, 'send');
  await lab.run(10);
  expect(thrown).toMatchObject([{ code: 'BadArgument' }]);
});

test('R3 an ask on a band that there is not is refused', async () => {
  const lab = await Lab.open(3);
  const id = await lab.spawn(HOST, {});
  const asked = lab.thread(0).ask(threadActor(0), id, { type: 'x' }, { band: 11 as never });
  expect(await failure(asked)).toMatchObject({ code: 'BadArgument', detail: { argument: 'band' } });
});
