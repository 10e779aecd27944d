/** A turn that waits for room for the page that its lane may come to leave, through the public face. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  begun,
  circling,
  ENDLESS,
  folder,
  geneFile,
  greedy,
  startTroupe,
  until,
  writeLongModel,
} from './stage.js';

const CONTEXT = 8_192;
/** Tokens that take more than the half of what pages may take, and less than all of it. */
const LONG = 4_500;
/** So little of a gene that replies are as long as without. */
const running = (gene: string) => ({ genes: [{ gene, scale: 1e-3 }], sampling: circling });

test('T1 a turn waits for room that pages take whose turns go first, and why says so', async () => {
  using place = folder();
  const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  const shape = { model, lanes: 2, context: CONTEXT };
  await using measured = await startTroupe(shape);
  const { leases } = await measured.memory();
  const bytes = leases.reduce((sum, lease) => sum + (lease.kind === 'context' ? lease.bytes : 0), 0);
  // What one lane holds when it is full: half of it is the share of each.
  await using troupe = await startTroupe({ ...shape, genes: { slots: 1 }, memory: { pages: bytes / 2 } });
  for (const name of ['kjv', 'melville']) {
    await troupe.genes.load(geneFile(name), { name });
  }
  const ada = await troupe.mind('ada', running('melville'));
  await ada.turn('Good evening.', { maxTokens: 8 }).result;
  await ada.pageOut();
  const ben = await troupe.mind('ben', running('kjv'));
  const first = ben.turn(ENDLESS, { maxTokens: LONG });
  await begun(first);
  const again = ada.turn('And now?', { maxTokens: 8 });
  await until(() => troupe.why('ada').sentence.includes('(genes)'), 'a wait for genes');
  const cleo = await troupe.mind('cleo', { sampling: greedy });
  const last = cleo.turn('Who is there?', { maxTokens: LONG });
  await until(() => troupe.why('cleo').sentence.includes('(host)'), 'a wait for room');
  first.cancel();
  expect((await again.result).receipt.runs[0]).toMatchObject({ outcome: 'length' });
  await begun(last);
  last.cancel();
  const { waits } = (await last.result).receipt;
  expect([waits.host !== undefined, waits.cells]).toEqual([true, undefined]);
});
