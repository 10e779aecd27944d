/**
 * What an actor's code sets going at moments that the runtime chooses, and not its messages, and nobody catches: it is
 * told of as that actor's, and neither its thread nor another actor pays for it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actorModule, eventually, HOST_A, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const told = (name: string) =>
  eventually(() => stage.probed('thread.stray').find(({ actor }) => actor === name));

test('R4 what a stop leaves behind unheard is told as its actor, which has ended', async () => {
  const other = await stage.spawn(HOST_A);
  const id = await stage.spawn(HOST_A, { straysAtStop: true }, 'strays-at-stop');
  await stage.system.stopActor(id, 'test');
  expect(await told('strays-at-stop')).toMatchObject({ error: 'Error: stray at stop' });
  expect(await stage.ask(other, { type: 'incarnation' })).toBe(0);
  expect(stage.probed('thread.lost')).toEqual([]);
});

test.each(['straysAtPassivate', 'straysAtStop'])(
  'R4 %s of an idle actor is told as its own, and crashes no other',
  async (when) => {
    const name = `idle-${when}`;
    const other = await stage.spawn(HOST_A);
    const module = actorModule('puppet');
    const args = { [when]: true };
    await stage.system.spawn({ name, module, args, thread: HOST_A, passivateMs: 20 });
    // Its timer is another one's: who armed it last is not who is idle.
    await stage.ask(other, { type: 'sleep', ms: 5 });
    await told(name);
    expect(await stage.ask(other, { type: 'incarnation' })).toBe(0);
    expect(stage.probed('thread.lost')).toEqual([]);
  },
);
