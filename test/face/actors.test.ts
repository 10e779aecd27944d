import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Troupe } from '../../src/index.js';
import { actorModule, failure } from '../runtime/stage.js';
import { startTroupe } from './stage.js';

let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe();
});
afterAll(() => troupe.stop());

describe('U1 actors of the user', () => {
  it('U1 are told, asked, found by name, and stopped', async () => {
    const puppet = await troupe.actor('puppet', actorModule('puppet'));
    expect(puppet.tell({ type: 'note', value: 1 })).toBe(true);
    expect(await puppet.ask({ type: 'notes' })).toEqual([1]);
    expect((await troupe.lookup('puppet'))?.id).toBe(puppet.id);
    expect(await failure(troupe.actor('puppet', actorModule('puppet')))).toMatchObject({ code: 'NameTaken' });
    await puppet.stop();
    expect(await troupe.lookup('puppet')).toBeUndefined();
    expect(await failure(puppet.ask({ type: 'notes' }))).toMatchObject({ code: 'ActorEnded' });
  });

  it('U1 live beside a mind of the same name', async () => {
    await troupe.mind('eve');
    const eve = await troupe.actor('eve', actorModule('puppet'));
    expect(await eve.ask({ type: 'echo', value: 2 })).toBe(2);
  });

  it.each([
    ['mind/ada', undefined, undefined, /^name is "mind\/ada"; expected a string without \//],
    ['reader', undefined, undefined, /^name is "reader"; expected .* none of directory, store, reader/],
    ['a', './counter.js', undefined, /^module is ".\/counter.js"; expected a URL, such as new URL/],
    ['a', undefined, { arg: 1 }, /^options.arg is 1; expected args in its place/],
    ['a', undefined, { thread: -1 }, /^options.thread is -1; expected a whole number from 0/],
  ])('U1 %j of %j with %j are refused', async (name, module, options, message) => {
    const given = module ?? actorModule('puppet');
    const error = await failure(troupe.actor(name, given, options as never));
    expect(error).toMatchObject({ code: 'BadArgument', message: expect.stringMatching(message) });
  });
});
