import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

describe('R2 turns', () => {
  test('R2 while a user handler awaits no other user message starts, and control messages are handled', async () => {
    const id = await stage.spawn(HOST_A);
    const held = stage.ask(id, { type: 'hold' });
    stage.system.tell(id, { type: 'note', value: 'user' });
    stage.system.tell(id, { type: 'note', value: 'control' }, { band: Band.control });
    expect(await stage.notes(id)).toEqual(['control']);
    stage.system.tell(id, { type: 'let-go' }, { band: Band.control });
    expect(await held).toBe('held');
    await stage.ask(id, { type: 'echo' });
    expect(await stage.notes(id)).toEqual(['control', 'let go', 'user']);
  });

  test('R2 system messages are handled while a user handler awaits', async () => {
    const [id, watched] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    await stage.ask(id, { type: 'watch', id: watched });
    await stage.ask(id, { type: 'forward', to: watched, message: { type: 'echo' } });
    const held = stage.ask(id, { type: 'hold' });
    await stage.system.stopActor(watched, 'enough');
    await eventually(async () => (await stage.notes(id)).length === 1);
    expect(await stage.notes(id)).toEqual([{ type: 'ended', id: watched, reason: 'enough', lost: false }]);
    stage.system.tell(id, { type: 'let-go' }, { band: Band.control });
    await held;
  });

  test('R2 bands are drained in order: system, control, user', async () => {
    const lab = await Lab.open(2);
    const seen: string[] = [];
    const id = await lab.spawn(0, {
      receive: (message: { value: string }) => seen.push(message.value),
      control: (message: { value: string }) => seen.push(message.value),
      notice: ({ type }: { type: string }) => seen.push(type),
    });
    const { router } = lab.thread(0);
    router.tell(0, id, { type: 'note', value: 'user' }, Band.user);
    router.tell(0, id, { type: 'note', value: 'control' }, Band.control);
    router.tell(0, id, { type: 'note', value: 'reserved' }, Band.reserved);
    router.tell(0, id, { type: 'undelivered' }, Band.system);
    await lab.run();
    expect(seen).toEqual(['undelivered', 'control', 'reserved', 'user']);
  });

  test.each([
    ['control', Band.control, 'a control handler answered with a promise; control handlers may not await'],
  ] as const)('R2 a %s handler that returns a promise is a crash', async (_, band, cause) => {
    const id = await stage.spawn(HOST_A);
    const error = await failure(stage.ask(id, { type: 'async' }, { band }));
    expect(error).toMatchObject({ code: 'ActorCrashed', detail: { message: 'async', cause } });
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(1);
    expect(stage.report(id)).toMatchObject({ restarts: 1, lastError: cause });
  });

  test('R2 a notice handler that returns a promise is a crash', async () => {
    const lab = await Lab.open(2);
    let starts = 0;
    const id = await lab.spawn(0, () => {
      starts++;
      return { receive() {}, notice: () => Promise.reject(new Error('unheard')) as never };
    });
    lab.thread(0).router.notify(id, { type: 'undelivered' });
    await lab.run(10);
    expect(starts).toBe(2);
  });

  test('R2 a control message that no handler is there for is a crash', async () => {
    const lab = await Lab.open(2);
    const id = await lab.spawn(0, {});
    const answer = failure(lab.thread(0).router.ask(0, id, { type: 'hello' }, { band: Band.control }));
    await lab.run();
    expect(await answer).toMatchObject({ code: 'ActorCrashed' });
  });

  test('R2 a message without a type is refused where it is sent', async () => {
    const id = await stage.spawn(HOST_A);
    const nameless = { value: 1 } as never;
    expect(() => stage.system.tell(id, nameless)).toThrow(/expected an object with a string `type`/);
    expect(await failure(stage.ask(id, nameless))).toMatchObject({ code: 'BadArgument' });
    expect(await failure(stage.ask(id, undefined as never))).toMatchObject({ code: 'BadArgument' });
  });
});
