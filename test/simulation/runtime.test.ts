/**
 * R7: seeds of the runtime, and that each replays exactly.
 */
import { expect, test } from 'vitest';
import { run, trialOf } from '../../src/testing/simulation/index.js';
import { partsOf, runPart } from './parts.js';
import { runtimeSubject } from './runtime-subject.js';
import { totals } from './tally.js';

const PARTS = partsOf(Number(process.env.TROUPE_SIMULATED_SEEDS ?? 440), 110);

test.for(PARTS)(
  'R7 the runtime keeps its promises from seed $from on',
  { timeout: 120_000 },
  async (part, context) => {
    const { tally, reports } = await runPart('runtime', part, context.signal);
    expect(reports).toEqual([]);
    expect(totals(tally)).toEqual({ passed: part.seeds, failed: 0 });
  },
);

test('R7 a seed delivers 2,000 messages among 8 actors with 5 faults, and replays exactly', async () => {
  for (const seed of [1, 2, 3]) {
    const outcome = await run(runtimeSubject(), trialOf(runtimeSubject(), seed));
    expect(outcome.messages).toBeGreaterThanOrEqual(2_000);
    expect(outcome.actors).toBeGreaterThanOrEqual(8);
    expect(outcome.faults).toBeGreaterThanOrEqual(5);
    expect(await run(runtimeSubject(), trialOf(runtimeSubject(), seed))).toEqual(outcome);
  }
});
