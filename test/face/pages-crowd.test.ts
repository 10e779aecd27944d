/** More minds than pages have room for. */
import { afterEach, expect, it } from 'vitest';
import type { Mind, Troupe } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { greedy, startTroupe } from './stage.js';

const MINDS = 100;
/** Room for the pages of a few short talks, and for no long one. */
const CEILING = 64 * 1024;

let troupe: Troupe;
afterEach(() => troupe.stop());

const say = async (mind: Mind, text: string): Promise<void> => {
  const { error } = await mind.turn(text, { maxTokens: 1, sampling: greedy }).result;
  expect(error).toBeUndefined();
};

it('case-25 P1 the store never counts more than its ceiling, and what is larger is refused before it is copied', async () => {
  troupe = await startTroupe({ lanes: 2, memory: { pages: CEILING } });
  const counts: number[] = [];
  const look = (): void => void counts.push(addon.pages.usage().bytes);
  const looking = setInterval(look, 1);
  try {
    await Promise.all(
      Array.from({ length: MINDS }, async (_, i) => {
        const mind = await troupe.mind(`mind ${i}`);
        await say(mind, 'One.');
        look();
      }),
    );
    const ada = await troupe.mind('ada');
    await say(ada, 'And the sea was calm. '.repeat(16));
    const before = addon.pages.usage();
    await expect(ada.pageOut()).rejects.toMatchObject({
      code: 'OverCeiling',
      detail: { ceilingBytes: CEILING },
    });
    expect(addon.pages.usage()).toEqual(before);
  } finally {
    clearInterval(looking);
  }
  expect(counts.length).toBeGreaterThanOrEqual(MINDS);
  expect(Math.max(...counts)).toBeGreaterThan(CEILING / 2);
  expect(Math.max(...counts)).toBeLessThanOrEqual(CEILING);
});
