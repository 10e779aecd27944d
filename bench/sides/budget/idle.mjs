/**
 * A troupe of so many minds, some of which have said something, that nobody speaks to: how much of one core all of its
 * threads take, broker's and residency's among them. Prints `{ share, seconds }`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Troupe } from '../../../dist/index.js';
import { ownProcessorTimeUs } from '../../harness/processor.mjs';

const { model, minds, speakers, gene, settleMs, watchMs } = JSON.parse(process.argv[2]);
const AT_ONCE = 200;

const dir = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
const troupe = await Troupe.start({ model, lanes: 4, context: 128, threads: 1, hosts: 1, dir });
await troupe.genes.load(gene, { name: 'gene' });
const cast = [];
for (let from = 0; from < minds; from += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, minds - from) }, (_, i) =>
    troupe.mind(`mind-${from + i}`),
  );
  cast.push(...(await Promise.all(some)));
}
const genes = [{ gene: 'gene', scale: 1 }];
for (let from = 0; from < speakers; from += AT_ONCE) {
  const some = cast.slice(from, Math.min(speakers, from + AT_ONCE));
  await Promise.all(some.map((mind) => mind.turn('Hello.', { maxTokens: 1, genes }).result));
}
await sleep(settleMs);
const begun = [performance.now(), ownProcessorTimeUs()];
await sleep(watchMs);
const ms = performance.now() - begun[0];
const share = (ownProcessorTimeUs() - begun[1]) / 1000 / ms;
await troupe.stop();
rmSync(dir, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ share, seconds: ms / 1000 }), () => process.exit());
