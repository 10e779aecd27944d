import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as everyError from '../../src/errors.js';
import { type Detail, declaredErrors, type ErrorClass } from '../../src/errors.js';
import { actorModule, eventually, failure, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

let stage: Stage;
let refusers: [number, number];
beforeAll(async () => {
  stage = await Stage.open();
  const module = actorModule('refuser');
  refusers = await Promise.all([
    stage.system.spawn({ name: 'refuser-a', module, args: {}, thread: HOST_A }),
    stage.system.spawn({ name: 'refuser-b', module, args: {}, thread: HOST_B }),
  ]);
});
afterAll(() => stage.close());

/** A detail with every field that the class puts into words. */
function detailFor(Declared: ErrorClass<Detail>): Detail {
  const detail: Record<string, unknown> = {};
  for (const value of ['text', 7, ['a', 'b']]) {
    const seen = new Proxy(detail, {
      get: (fields, key) => {
        if (typeof key === 'string') fields[key] ??= value;
        return fields[key as string];
      },
    });
    try {
      new Declared(seen);
      return { ...detail, extra: { deep: [1, 2] } };
    } catch {
      for (const key of Object.keys(detail)) delete detail[key];
    }
  }
  throw new Error(`no detail fits ${Declared.code}`);
}

describe('R3 errors across threads', () => {
  test('R3 every declared class survives two borders with its code, its detail and its message', async () => {
    // Those of the runtime and those of the layers above it: all that the package exports.
    const exported = Object.values(everyError).flatMap((value) => ('code' in value ? [value.code] : []));
    expect([...declaredErrors().keys()].sort()).toEqual(exported.sort());
    for (const [code, Declared] of declaredErrors()) {
      const detail = detailFor(Declared);
      const expected = new Declared(detail);
      for (const ask of [
        { type: 'refuse', code, detail },
        { type: 'relay', code, detail, other: refusers[1] },
      ]) {
        const error = await failure(stage.ask(refusers[0], ask));
        expect(error).toBeInstanceOf(Declared);
        expect(error).toMatchObject({ code, detail, message: expected.message });
      }
    }
  });

  test('R3 a detail that cannot be cloned costs the detail, not the answer', async () => {
    const detail = { actor: 'x', band: 'user', bound: 1 };
    const error = await failure(
      stage.ask(refusers[0], { type: 'with-function', code: 'MailboxFull', detail }),
    );
    expect(error).toMatchObject({ code: 'MailboxFull', detail: { f: 'a function' } });
  });
});

describe('R3 what cannot be cloned', () => {
  test('R3 an answer: the asker is told, the actor lives on', async () => {
    const id = await stage.spawn(HOST_A);
    expect(await failure(stage.ask(id, { type: 'function' }))).toMatchObject({
      code: 'Unsendable',
      message: 'the answer cannot be sent to another thread: () => {} could not be cloned.',
    });
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(0);
  });

  test('R3 a message: an undelivered notice, or a failed ask; the others of its batch arrive', async () => {
    const [from, to] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    await stage.ask(from, { type: 'tell-function', to });
    await eventually(async () => (await stage.notes(to)).length === 2);
    expect(await stage.notes(to)).toEqual(['before', 'after']);
    expect(await stage.notes(from)).toMatchObject([
      { type: 'undelivered', to, messageType: 'note', reason: expect.stringContaining('cannot be sent') },
    ]);
    expect(await failure(stage.ask(from, { type: 'forward-function', to }))).toMatchObject({
      code: 'ActorCrashed',
      detail: { cause: expect.stringContaining('cannot be sent to another thread') },
    });
    expect(await failure(stage.ask(from, { type: 'echo', value: () => {} }))).toMatchObject({
      code: 'Unsendable',
    });
  });

  test('R3 values that throw when they are read cost what they are in, and no thread', async () => {
    const [id, to] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    expect(await failure(stage.ask(id, { type: 'hostile' }))).toMatchObject({ code: 'Unsendable' });
    await stage.ask(id, { type: 'tell-hostile', to });
    await eventually(async () => (await stage.notes(id)).length === 1);
    expect(await stage.notes(id)).toMatchObject([{ type: 'undelivered', to, messageType: 'note' }]);
    expect(await failure(stage.ask(id, { type: 'throw-hostile' }))).toMatchObject({ code: 'ActorCrashed' });
    expect(await stage.ask(id, { type: 'incarnation' })).toBe(1);
  });

  test('R3 buffers that are handed over are moved', async () => {
    const id = await stage.spawn(HOST_A);
    const buffer = new ArrayBuffer(1_000_000);
    const back = await stage.ask<Uint8Array>(
      id,
      { type: 'echo', value: new Uint8Array(buffer) },
      { transfer: [buffer] },
    );
    expect([back.byteLength, buffer.byteLength]).toEqual([1_000_000, 0]);
  });

  test('R3 within a thread a message is handed over as it is', async () => {
    const id = await stage.spawn(MAIN);
    const value = { f: () => 1 };
    expect(await stage.ask(id, { type: 'echo', value })).toBe(value);
  });
});
