/**
 * A process that runs the seeds it is told to, and says what came of them; see `jobs.ts`.
 */
import type { JobResult } from './jobs.js';
import { runSeeds, type SeedOptions } from './seeds.js';

process.on('message', async (options: SeedOptions) => {
  let text = '';
  const tally = await runSeeds(options, (more) => {
    text += more;
  });
  process.send?.({ tally, text } satisfies JobResult);
});
process.on('disconnect', () => process.exit());
