/**
 * R7: seeds of supervisors, exact replay, and that what is planted is found.
 */
import { expect, test } from 'vitest';
import { type Batch, ENTRY } from '../../src/runtime/wire.js';
import { run, trialOf } from '../../src/testing/simulation/index.js';
import type { Family } from './kin.js';
import { partsOf, runPart } from './parts.js';
import {
  type PlantedInSupervisors,
  type SupervisorsFault,
  supervisorsSubject,
} from './supervisors-subject.js';
import { totals } from './tally.js';

const PARTS = partsOf(30, 15);

test.for(PARTS)(
  'R7 supervisors keep their promises from seed $from on',
  { timeout: 120_000 },
  async (part, context) => {
    const { tally, reports } = await runPart('supervisors', part, context.signal);
    expect(reports).toEqual([]);
    expect(totals(tally)).toEqual({ passed: part.seeds, failed: 0 });
  },
);

test('R7 a seed of supervisors replays exactly', async () => {
  const trial = trialOf(supervisorsSubject(), 3);
  expect(await run(supervisorsSubject(), trial)).toEqual(await run(supervisorsSubject(), trial));
});

const bursts: SupervisorsFault[] = [0, 3, 5, 6].map((actor, i) => ({
  ...{ kind: 'burst', at: 100 + 200 * i, actor, count: 3 },
}));
const lost: SupervisorsFault[] = [2, 3, 4].map((thread) => ({ kind: 'lose', at: 200 * thread, thread }));

/** What comes back with its thread has no module there, and no supervisor hears of that. */
function astray(batch: Batch): void {
  for (let at = batch.length - ENTRY; at >= 0; at -= ENTRY) {
    const message = batch[at + 4] as { type?: string; again?: object; options?: object } | undefined;
    if (message?.type === 'gone') batch.splice(at, ENTRY);
    if (message?.type !== 'spawn' || message.again === undefined) continue;
    batch[at + 4] = { ...message, options: { ...message.options, module: 'astray' } };
  }
}

test.each<[string, string, SupervisorsFault[], PlantedInSupervisors]>([
  [
    'siblings that go with one that crashed alone',
    'a crash takes along whom the strategy says',
    bursts,
    { told: (family: Family) => ({ ...family, strategy: 'one-for-all' }) },
  ],
  [
    'siblings that do not go with one that crashed',
    'a crash takes along whom the strategy says',
    bursts,
    { told: (family: Family) => ({ ...family, strategy: 'one-for-one' }) },
  ],
  [
    'children in another order',
    'children start in their order',
    bursts,
    { told: (family: Family) => ({ ...family, children: [...family.children].reverse() }) },
  ],
  [
    'a supervisor that gives up at once',
    'a supervisor gives up when it is to',
    bursts,
    { told: (family: Family) => ({ ...family, intensity: { count: 0, withinMs: 1 } }) },
  ],
  [
    'a child that starts again at once',
    'a restart waits',
    bursts,
    { told: (family: Family) => ({ ...family, backoff: { firstMs: 0, mostMs: 0, jitter: 0 } }) },
  ],
  [
    'actors that do not come back with their thread',
    'a family is whole or gone',
    lost,
    { planted: (_to, batch) => astray(batch) },
  ],
])('R7 of supervisors: %s', async (_, property, faults, planted) => {
  const broken = new Set<string>();
  for (let seed = 1; seed <= 4; seed++) {
    const trial = { seed, faults, messages: 1_200 };
    expect((await run(supervisorsSubject(), trial)).violations).toEqual([]);
    for (const violation of (await run(supervisorsSubject(planted), trial)).violations) {
      broken.add(violation.property);
    }
  }
  expect([...broken]).toContain(property);
});
