/** Turns that give up their lanes for the gene slots that they hold, through the public face. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { begun, circling, ENDLESS, folder, geneFile, startTroupe, until, writeLongModel } from './stage.js';

const CONTEXT = 8_192;
/** So little of a gene that replies are as long as without. */
const running = (gene: string) => ({ genes: [{ gene, scale: 1e-3 }], sampling: circling });

test('T5 a turn of a higher class gets the gene slot of a lower one, which goes on after it', async () => {
  using place = folder();
  const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  const options = { model, lanes: 2, context: CONTEXT, genes: { slots: 1 } };
  await using troupe = await startTroupe(options);
  for (const name of ['kjv', 'melville']) {
    await troupe.genes.load(geneFile(name), { name });
  }
  const ada = await troupe.mind('ada', { class: 'background', ...running('kjv') });
  const background = ada.turn(ENDLESS, { maxTokens: 7_000 });
  await begun(background);
  const ben = await troupe.mind('ben', { class: 'realtime', ...running('melville') });
  const { receipt } = await ben.turn('Now!', { maxTokens: 3 }).result;
  expect([receipt.runs.length, (receipt.waits.genes ?? 0) > 0]).toEqual([1, true]);
  const had = background.text.length;
  await until(() => background.text.length > had + 500, 'a turn that goes on');
  background.cancel();
  const { runs } = (await background.result).receipt;
  expect(runs.map(({ outcome }) => outcome)).toEqual(['reclaimed', 'aborted']);
  expect(runs[1]?.processed).toBe(0);
});
