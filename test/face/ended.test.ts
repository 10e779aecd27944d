import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Troupe } from '../../src/index.js';
import { actorModule, eventually, failure } from '../runtime/stage.js';
import { startTroupe, systemOf, threadOf } from './stage.js';

const module = actorModule('puppet');
let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe({ hosts: 2 });
});
afterAll(() => troupe.stop());

test('R3 the end of a mind is told by its handle', async () => {
  const eve = await troupe.mind('eve');
  const heard: string[] = [];
  eve.watch((reason) => heard.push(reason));
  await eve.leave();
  expect(await eve.ended).toBe('it stopped itself');
  expect(heard).toEqual(['it stopped itself']);
});

describe('R3 the end of an actor of the user', () => {
  it('R3 is told by its handle, and to those who watch it until they take that back', async () => {
    const one = await troupe.actor('short', module);
    const again = await troupe.lookup('short');
    const heard: string[] = [];
    one.watch((reason) => heard.push(reason));
    again?.watch((reason) => heard.push(`not this: ${reason}`))();
    await failure(one.ask({ type: 'crash' }));
    expect(await one.ask({ type: 'incarnation' })).toBe(1);
    expect(heard).toEqual([]);
    await one.ask({ type: 'stop' });
    expect(await again?.ended).toBe(await one.ended);
    expect(await one.ended).toBe('it stopped itself');
    expect(heard).toEqual(['it stopped itself']);
  });

  it('R3 is the crash that was one too many', async () => {
    const once = await troupe.actor('once', module, { restart: { count: 0, withinMs: 1_000 } });
    await failure(once.ask({ type: 'crash', why: 'no more' }));
    expect(await once.ended).toBe('crashed: no more');
  });

  it('R3 is not the loss of its thread, from which it comes back', async () => {
    const safe = await troupe.actor('safe', module, { thread: threadOf(troupe, 'host-1') });
    let reason: string | undefined;
    safe.watch((told) => {
      reason = told;
    });
    await systemOf(troupe).terminateThread(threadOf(troupe, 'host-1'));
    await eventually(() => safe.ask({ type: 'echo', value: true }).catch(() => false));
    expect(reason).toBeUndefined();
    await safe.stop();
    expect(await safe.ended).toBe('it was stopped');
    await eventually(() => reason === 'it was stopped');
  });

  it('R3 of one that ended before it was asked for is known for a while', async () => {
    const gone = await troupe.actor('gone', module);
    await gone.stop();
    expect(await gone.ended).toBe('it was stopped');
    expect(await systemOf(troupe).ended(gone.id, 'gone')).toBe('it was stopped');
    expect(await systemOf(troupe).ended(2 ** 30, 'gone')).toBe('no actor lives at this address');
  });

  it('R3 is the end of the troupe for those that live until then', async () => {
    const own = await startTroupe();
    const last = await own.actor('last', module);
    const sup = await own.supervisor('sup');
    await own.stop();
    expect(await Promise.all([last.ended, sup.ended])).toEqual(['the troupe stopped', 'the troupe stopped']);
  });
});
