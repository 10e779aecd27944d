/** Two troupes in one process, which has one store of pages: neither sees what the other may hold. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Mind, Troupe } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { folder, greedy, startTroupe } from './stage.js';

const troupes: Troupe[] = [];
afterEach(async () => {
  await Promise.all(troupes.splice(0).map((troupe) => troupe.stop()));
  expect(addon.pages.usage()).toMatchObject({ count: 0, ceiling: Number.POSITIVE_INFINITY });
});

async function open(pages: number, dir: string): Promise<{ troupe: Troupe; ada: Mind }> {
  const troupe = await startTroupe({ lanes: 1, dir, memory: { pages } });
  troupes.push(troupe);
  const ada = await troupe.mind('ada');
  await ada.turn('Tell me.', { maxTokens: 8, sampling: greedy }).result;
  return { troupe, ada };
}

describe('of two troupes', () => {
  it('P1 each has room for its own pages, whatever the other may hold', async () => {
    using place = folder();
    const rich = await open(2 ** 24, `${place.path}/rich`);
    const poor = await open(0, `${place.path}/poor`);
    expect((await rich.ada.pageOut()).bytes).toBeGreaterThan(0);
    await expect(poor.ada.pageOut()).rejects.toMatchObject({
      code: 'OverCeiling',
      detail: { ceilingBytes: 0, usedBytes: 0 },
    });
    await poor.troupe.stop();
    await rich.ada.pageIn();
    expect((await rich.ada.pageOut()).bytes).toBeGreaterThan(0);
  });

  it('P2 one that stops takes no page of the other with it', async () => {
    using place = folder();
    const [first, second] = [await open(2 ** 24, `${place.path}/1`), await open(2 ** 24, `${place.path}/2`)];
    await first.ada.pageOut();
    await second.ada.pageOut();
    await second.troupe.stop();
    const { receipt } = await first.ada.turn('And?', { maxTokens: 4, sampling: greedy }).result;
    expect(receipt.runs[0]?.pagedIn.bytes).toBeGreaterThan(0);
  });
});
