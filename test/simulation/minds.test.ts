/**
 * R7: seeds of minds, broker, residency, pager and engine, and exact replay. What is planted in them: `minds-planted.test.ts`.
 */
import { expect, test } from 'vitest';
import { run, trialOf } from '../../src/testing/simulation/index.js';
import { mindsSubject } from './minds-subject.js';
import { partsOf, runPart } from './parts.js';
import { LEAST, totals } from './tally.js';

const PARTS = partsOf(Number(process.env.TROUPE_SIMULATED_SEEDS ?? 60), 10);

test.for(PARTS)(
  'R7 minds keep their promises from seed $from on',
  { timeout: 120_000 },
  async (part, context) => {
    const { tally, reports } = await runPart('minds', part, context.signal);
    expect(reports).toEqual([]);
    expect(totals(tally)).toEqual({ passed: part.seeds, failed: 0 });
  },
);

test('R7 a seed of minds delivers 2,000 messages among 8 actors with 5 faults, and replays exactly', async () => {
  const outcome = await run(mindsSubject(), trialOf(mindsSubject(), 3));
  expect(outcome.messages).toBeGreaterThanOrEqual(LEAST.messages);
  expect(outcome.actors).toBeGreaterThanOrEqual(LEAST.actors);
  expect(outcome.faults).toBeGreaterThanOrEqual(LEAST.faults);
  expect(await run(mindsSubject(), trialOf(mindsSubject(), 3))).toEqual(outcome);
});
