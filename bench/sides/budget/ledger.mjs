/**
 * A run with paging on the bench model, and what the process holds after each part of it: more minds than lanes, each spoken to
 * in turn, so that every turn moves one out and one in; genes come and go beside them. Prints a list of
 * `{ what, residentBytes, scriptBytes, ledgerBytes }`; the first is from before the model was loaded.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Troupe } from '../../../dist/index.js';
import { loadAddon } from '../../../dist/native/load.js';
import { weigh } from '../../harness/heaps.mjs';
import { expectTurn, GREEDY } from '../../harness/stage.mjs';

const { model, adapters, lanes, minds, rounds, context, promptWords, replyTokens } = JSON.parse(
  process.argv[2],
);

const samples = [];
async function sample(what, troupe) {
  const { residentBytes, committedBytes: scriptBytes } = await weigh();
  const ledgerBytes =
    (await troupe?.memory())?.pools
      .filter(({ name }) => name !== 'disk')
      .reduce((sum, { heldBytes }) => sum + heldBytes, 0) ?? 0;
  samples.push({ what, residentBytes, scriptBytes, ledgerBytes });
}

// Code that is only mapped when it is first needed.
loadAddon();
await sample('before');
const dir = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
const troupe = await Troupe.start({ model, lanes, context, threads: 1, dir });
const genes = [];
for (const [i, path] of adapters.entries()) {
  await troupe.genes.load(path, { name: `gene-${i}` });
  genes.push([{ gene: `gene-${i}`, scale: 1 }]);
}
const cast = [];
for (let i = 0; i < minds; i++) {
  cast.push(await troupe.mind(`mind-${i}`, { sampling: GREEDY, genes: genes[i % genes.length] }));
}
const text = Array.from({ length: promptWords }, (_, i) => `word${i}`).join(' ');
for (let round = 0; round < rounds; round++) {
  for (const mind of cast) {
    const result = await mind.turn(`${round} ${text}`, { maxTokens: replyTokens }).result;
    expectTurn(result, { outcomes: ['length', 'stop'] });
  }
  await sample(`round ${round}`, troupe);
}
for (const { name } of await troupe.genes.list()) await troupe.genes.pageOut(name);
await sample('genes out', troupe);
for (const { name } of cast.slice(lanes)) await troupe.pages.drop(name).catch(() => {});
await sample('pages dropped', troupe);
await troupe.stop();
rmSync(dir, { recursive: true, force: true });
process.stdout.write(JSON.stringify(samples), () => process.exit());
