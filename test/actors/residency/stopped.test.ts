/** R3: a residency that was started again has the genes to itself; the one before it moves none. */
import { expect, test } from 'vitest';
import { GeneJobs, type GeneWork } from '../../../src/actors/residency/gene-jobs.js';
import { residencyOver } from '../../../src/actors/residency/residency.js';
import { Band } from '../../../src/runtime/message.js';
import { TestSystem } from '../../../src/testing/index.js';
import { addon, load, TINY } from '../../native/fixtures.js';

test('R3 closed work on genes takes no hold of the weights again, and no thread', async () => {
  const before = addon.live();
  const model = load(TINY);
  const jobs = new GeneJobs(model.info.id);
  await jobs.close();
  expect(() => jobs.moveInPlace(1, 'host')).toThrow(expect.objectContaining({ code: 'ActorEnded' }));
  await expect(jobs.list()).rejects.toMatchObject({ code: 'ActorEnded' });
  model.close();
  expect(addon.live()).toEqual(before);
});

test('R3 when a move that copies is done, a crashed residency goes on to no other', async () => {
  const stage = await TestSystem.start();
  const broker = await stage.probe('broker');
  const asked: string[] = [];
  let copied = (): void => {};
  let genes = 0;
  /** Genes of even numbers are copied, and such a move does not end by itself. */
  const work: GeneWork = {
    load: async () => {
      const id = ++genes;
      const inPlace = id % 2 === 1;
      return { id, hash: `${id}`, rank: 1, weights: 1, bytes: 10, inPlace, tier: 'device' };
    },
    unload: async () => undefined,
    move: ({ gene }) => {
      asked.push(`copy ${gene}`);
      return new Promise((resolve) => {
        copied = () => resolve({ moved: true, tMs: 1 });
      });
    },
    moveInPlace: (gene) => void asked.push(`move ${gene}`),
    list: async () => [],
    close: async () => void asked.push('close'),
  };
  const args = {
    default: [],
    slots: undefined,
    hostBytes: 100,
    model: 1,
    engine: broker.id,
    broker: broker.id,
  };
  const residency = await stage.spawn({ name: 'residency', actor: residencyOver(() => work), args });
  for (const name of ['1', '2']) {
    const message = { type: 'load', path: name, name, replace: false, learning: false };
    await stage.settle(stage.system.ask(residency, message));
  }
  stage.system.ask(residency, { type: 'page-out', name: '2' }).catch(() => {});
  await stage.idle();
  const relieve = { type: 'relieve', ask: 1, bytes: 20, tiers: ['device'], deadlineMs: 1_000 };
  broker.ask(residency, relieve, { band: Band.control });
  await stage.idle();
  broker.tell(residency, { type: 'pin', grant: 1 }, { band: Band.reserved });
  await stage.idle();
  expect(asked).toEqual(['copy 2', 'close']);
  copied();
  await stage.idle();
  expect(asked).toEqual(['copy 2', 'close']);
  await stage.stop();
});
