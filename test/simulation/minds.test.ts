/**
 * R7: seeds of minds, broker and engine, exact replay, and that what is planted is found.
 */
import { expect, test } from 'vitest';
import type { Run } from '../../src/actors/engine/protocol.js';
import type { Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import { type Batch, ENTRY } from '../../src/runtime/wire.js';
import { run, trialOf } from '../../src/testing/simulation/index.js';
import { type Wrapping, withParts } from '../../src/testing/wrapping.js';
import { LaneOwners } from './lane-owners.js';
import { mindsSubject, type PlantedInMinds } from './minds-subject.js';
import { runSeeds } from './seeds.js';
import { totals } from './tally.js';

const SEEDS = Number(process.env.TROUPE_SIMULATED_SEEDS ?? 60);

test('R7 minds, broker and engine keep their promises in every seed', { timeout: 120_000 }, async () => {
  const reports: string[] = [];
  const write = (text: string): void => void reports.push(text);
  const tally = await runSeeds({ from: 1, seeds: SEEDS, subject: 'minds' }, write);
  expect(reports).toEqual([]);
  expect(totals(tally)).toEqual({ passed: SEEDS, failed: 0 });
});

test('R7 a seed of minds delivers 2,000 messages among 10 actors with 5 faults, and replays exactly', async () => {
  const outcome = await run(mindsSubject(), trialOf(mindsSubject(), 3));
  expect(outcome.messages).toBeGreaterThanOrEqual(2_000);
  expect(outcome.actors).toBeGreaterThanOrEqual(10);
  expect(outcome.faults).toBeGreaterThanOrEqual(5);
  expect(await run(mindsSubject(), trialOf(mindsSubject(), 3))).toEqual(outcome);
});

/** Calls `plant` for each message of a type. */
function each(type: string, plant: (batch: Batch, at: number) => void): (to: unknown, batch: Batch) => void {
  return (_to, batch) => {
    for (let at = batch.length - ENTRY; at >= 0; at -= ENTRY) {
      if ((batch[at + 4] as Message | undefined)?.type === type) plant(batch, at);
    }
  };
}

/** Calls `plant` for each answer of a turn. */
function answers(plant: (batch: Batch, at: number) => void): (to: unknown, batch: Batch) => void {
  return (_to, batch) => {
    for (let at = batch.length - ENTRY; at >= 0; at -= ENTRY) {
      if ((batch[at + 4] as { receipt?: object } | undefined)?.receipt !== undefined) plant(batch, at);
    }
  };
}

/** Has the residency let go of the genes of each grant as soon as that is given. */
function unpinning(): Wrapping {
  let residency: ActorId | undefined;
  const context = (ctx: Context): Context =>
    withParts(ctx, {
      tell: (to, message, options) => {
        if (message.type === 'pin') residency = to;
        if (message.type === 'granted' && residency !== undefined) {
          ctx.tell(residency, { type: 'unpin', grant: message.grant }, options);
        }
        return ctx.tell(to, message, options);
      },
    });
  return { context, behaviour: (behaviour) => behaviour };
}

const isReclaimed = (batch: Batch, at: number): boolean =>
  (batch[at + 4] as { outcome?: string }).outcome === 'reclaimed';
/** From the broker, not to it. */
const isEngines = (batch: Batch, at: number): boolean => !('deadlineMs' in (batch[at + 4] as object));

const remove = (batch: Batch, at: number): void => void batch.splice(at, ENTRY);
const change =
  (fields: object) =>
  (batch: Batch, at: number): void =>
    void Object.assign(batch[at + 4] as object, fields);

test.each<[string, string, PlantedInMinds]>([
  ['answers that are lost', 'every turn ends as it may', { planted: answers(remove) }],
  ['a grant of another lane', 'every turn ends as it may', { planted: each('granted', change({ lane: 0 })) }],
  [
    'pieces of another text',
    'a turn says what it says alone',
    { planted: each('pieces', (batch, at) => (batch[at + 4] as { texts: string[] }).texts.fill('x')) },
  ],
  [
    'genes that do not run',
    'a turn says what it says alone',
    { native: (context) => Object.assign(context, { setGenes: () => {} }) },
  ],
  [
    'cells that are held for what the broker takes to be empty',
    'lanes, cells and genes add up',
    { planted: each('ran', change({ held: 0, activity: undefined })) },
  ],
  [
    'a lane that keeps what was cut off',
    'lanes, cells and genes add up',
    { native: (context) => Object.assign(context, { cut: () => true }) },
  ],
  [
    'a gene that is let go of as soon as it is pinned',
    'every turn ends as it may',
    { wrappings: [unpinning()] },
  ],
  [
    'a reply that goes on from other words',
    'a turn says what it says alone',
    { planted: each('run', (batch, at) => (batch[at + 4] as Run).soFar?.tokens.fill(1)) },
  ],
  [
    'a run that is given up without a last word',
    'every turn ends as it may',
    { planted: each('done', (batch, at) => isReclaimed(batch, at) && remove(batch, at)) },
  ],
  [
    'an engine that is never told to begin anew',
    'every relaunch settles',
    { planted: each('relaunch', (batch, at) => isEngines(batch, at) && remove(batch, at)) },
  ],
  ['a gene whose end nobody hears of', 'genes come and go as they may', { planted: each('unload', remove) }],
])('R7 of minds: %s', async (_, property, planted) => {
  const trial = { seed: 6, faults: [], messages: 1_200 };
  const { violations } = await run(mindsSubject(planted), trial);
  expect(violations.map((violation) => violation.property)).toContain(property);
  expect((await run(mindsSubject(), trial)).violations).toEqual([]);
});

test.each([1, 3])(
  'E7 of minds: when one of %i messages with pieces is lost, turns say all that they say alone',
  async (of) => {
    let count = 0;
    const planted = each('pieces', (batch, at) => count++ % of === 0 && remove(batch, at));
    const trial = { seed: 2, faults: [], messages: 1_200 };
    expect((await run(mindsSubject({ planted }), trial)).violations).toEqual([]);
    expect(count).toBeGreaterThan(100);
  },
);

test('R7 of minds: a lane that is granted twice, and a turn that waits with one', () => {
  const broken: string[] = [];
  const owners = new LaneOwners((what) => broken.push(what));
  const ctx = owners.context({ name: 'broker', tell: () => true } as unknown as Context);
  ctx.tell(1, { type: 'granted', grant: 1, lane: 0, ticket: 1 });
  ctx.tell(1, { type: 'granted', grant: 2, lane: 1, ticket: 2 });
  expect(broken).toEqual([]);
  ctx.tell(2, { type: 'granted', grant: 3, lane: 1, ticket: 1 });
  ctx.tell(1, { type: 'queued', ticket: 1, reason: 'lane' });
  expect(broken).toEqual(['lane 1 was granted to 3 while 2 had it', '1 1 waits, and has lane 0']);
});
