/**
 * E1: an engine is heard of by its broker, though that one crashed when it first said that it is up.
 */
import { expect, test } from 'vitest';
import broker from '../../../src/actors/broker/broker.js';
import engine from '../../../src/actors/engine/engine.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import { substituteAddon } from '../../../src/native/load.js';
import type { Context } from '../../../src/runtime/actor.js';
import { Band } from '../../../src/runtime/message.js';
import { TestSystem, type Wrapping } from '../../../src/testing/index.js';
import { FakeAddon } from '../../simulation/fake-addon.js';
import { UNBOUNDED } from '../budgets.js';

/** The broker's first handler does its work and crashes. */
function crashing(): Wrapping {
  let crashes = 1;
  return {
    context: <T>(ctx: T): T => ctx,
    behaviour: (behaviour, ctx: Context) => ({
      ...behaviour,
      receive: (message: never) => behaviour.receive(message, ctx),
      notice: (notice) => behaviour.notice?.(notice, ctx),
      control: (message: never) => {
        const answer = behaviour.control?.(message, ctx);
        if (ctx.name === 'broker' && crashes-- > 0) throw new Error('as planned');
        return answer;
      },
    }),
  };
}

test('E1 a broker that crashed over the word that the engine is up hears it again, and grants', async () => {
  substituteAddon(new FakeAddon());
  const stage = await TestSystem.start({ wrappings: [crashing()] });
  const brokerId = await stage.spawn({
    name: 'broker',
    actor: broker,
    args: { pageBytes: 1000, budgets: UNBOUNDED, status: createStatus() },
  });
  const args = {
    ...{
      model: 'fake',
      mmap: false,
      gpuLayers: 0,
      rows: 16,
      pageBytes: 1000,
      checkpointBytes: 0,
      owner: 'it',
    },
    shape: { lanes: 1, cells: 64, context: 64 },
    ...{ threads: 1, promptThreads: 1, flashAttention: false, broker: brokerId, status: createStatus() },
  };
  await stage.spawn({ name: 'engine', actor: engine, args });
  const mind = await stage.probe('mind');
  const request = { type: 'request', ticket: 1, activity: 'a', class: 'interactive', cells: 10, genes: [] };
  mind.tell(brokerId, request, { band: Band.reserved });
  const isGranted = (): boolean => mind.left.some(({ type }) => type === 'granted');
  expect(await stage.runUntil(isGranted, 10_000)).toBe(true);
});
