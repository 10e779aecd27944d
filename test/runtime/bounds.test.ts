import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAILBOX_BOUND } from '../../src/runtime/defaults.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const letGo = (id: number): boolean => stage.system.tell(id, { type: 'let-go' }, { band: Band.reserved });

describe('R2 bounds', () => {
  test('R2 within a thread tell is false when the user band is full, and the band then holds its bound', async () => {
    const [sender, id] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_A)]);
    const held = stage.ask(id, { type: 'hold' });
    await eventually(() => stage.report(id)?.state === 'awaiting');
    expect(await stage.ask(sender, { type: 'flood', to: id, count: MAILBOX_BOUND.user + 50 })).toBe(
      MAILBOX_BOUND.user,
    );
    expect(stage.report(id)?.depth.user).toBe(MAILBOX_BOUND.user);
    expect(
      await failure(stage.ask(sender, { type: 'forward', to: id, message: { type: 'echo' } })),
    ).toMatchObject({
      code: 'ActorCrashed',
      detail: { cause: expect.stringContaining('holds its bound of 1024 messages') },
    });
    letGo(id);
    await held;
  });

  test('R2 across threads: an undelivered notice, tell false from then on, true again when there is room', async () => {
    const [sender, id] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const held = stage.ask(id, { type: 'hold' });
    await eventually(() => stage.report(id)?.state === 'awaiting');
    const accepted = await stage.ask<number>(sender, {
      type: 'flood',
      to: id,
      count: MAILBOX_BOUND.user + 50,
    });
    expect(accepted).toBe(MAILBOX_BOUND.user + 50);
    await eventually(async () => (await stage.notes(sender)).length === 50);
    expect((await stage.notes(sender))[0]).toMatchObject({
      type: 'undelivered',
      to: id,
      messageType: 'note',
    });
    const tellIt = { type: 'tell', to: id, message: { type: 'note', value: 'one more' } };
    expect(await stage.ask(sender, tellIt)).toBe(false);
    letGo(id);
    await held;
    await eventually(() => stage.ask(sender, tellIt));
    await eventually(async () => (await stage.notes(id)).includes('one more'));
  });

  test('R2 an ask to a full actor fails with MailboxFull, when it is known full and when it is not', async () => {
    const id = await stage.spawn(HOST_B);
    const held = stage.ask(id, { type: 'hold' });
    await eventually(() => stage.report(id)?.state === 'awaiting');
    for (let i = 0; i < MAILBOX_BOUND.user; i++) stage.system.tell(id, { type: 'note', value: i });
    await eventually(() => stage.report(id)?.depth.user === MAILBOX_BOUND.user);
    const expected = { code: 'MailboxFull', detail: { band: 'user', bound: MAILBOX_BOUND.user } };
    expect(await failure(stage.ask(id, { type: 'echo' }))).toMatchObject(expected);
    expect(stage.system.tell(id, { type: 'note' })).toBe(false);
    expect(await failure(stage.ask(id, { type: 'echo' }))).toMatchObject(expected);
    letGo(id);
    await held;
  });

  test('R2 control is bounded, reserved is not: reclaim, cancel and grant always get in', async () => {
    const lab = await Lab.open(2);
    const seen: number[] = [];
    const hear = (message: { value: number }): void => void seen.push(message.value);
    const id = await lab.spawn(0, { receive: hear, control: hear });
    const { router } = lab.thread(0);
    const tell = (band: Band, value: number): boolean => router.tell(0, id, { type: 'note', value }, band);
    const controls = Array.from({ length: MAILBOX_BOUND.control + 10 }, (_, i) => tell(Band.control, i));
    expect(controls.filter((taken) => taken)).toHaveLength(MAILBOX_BOUND.control);
    expect(Array.from({ length: 3_000 }, (_, i) => tell(Band.reserved, i)).every((taken) => taken)).toBe(
      true,
    );
    const systems = Array.from({ length: MAILBOX_BOUND.system + 10 }, (_, i) => tell(Band.system, i));
    expect(systems.filter((taken) => taken)).toHaveLength(MAILBOX_BOUND.system);
    await lab.run();
    expect(seen).toHaveLength(MAILBOX_BOUND.control + 3_000);
  });

  test('R2 a full actor that ends makes room for nobody: the next tell becomes a dead letter', async () => {
    const [sender, id] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    void stage.ask(id, { type: 'hold' }).catch(() => {});
    await eventually(() => stage.report(id)?.state === 'awaiting');
    await stage.ask(sender, { type: 'flood', to: id, count: MAILBOX_BOUND.user + 50 });
    await eventually(async () => (await stage.notes(sender)).length > 0);
    const before = deadLetters();
    await stage.system.stopActor(id, 'enough');
    const tellIt = { type: 'tell', to: id, message: { type: 'note', value: 'one more' } };
    await eventually(() => stage.ask(sender, tellIt));
    await eventually(() => deadLetters() === before + MAILBOX_BOUND.user + 1);
  });

  function deadLetters(): number {
    return stage.system.inspect().threads.reduce((sum, thread) => sum + thread.deadLetters, 0);
  }
});
