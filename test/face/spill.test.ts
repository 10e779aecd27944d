/** Rooms on disk: written by one troupe, gone on with by another, as if nothing had happened in between. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Troupe, TroupeOptions } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { clear, sharedTroupe } from './shared.js';
import { geneFile, greedy, TINY, until } from './stage.js';
import { say } from './talk.js';

let troupe: Troupe;
beforeEach(async () => {
  troupe = await sharedTroupe(1);
});
afterEach(async () => {
  await clear();
  await until(() => addon.pages.usage().count === 0, 'a store without pages');
});

/** Another troupe than the one that wrote, which is gone. */
const restart = async (options: TroupeOptions = {}): Promise<void> => {
  await troupe.stop();
  troupe = await sharedTroupe(1, options);
};
const KJV = geneFile('kjv');
const kjv = (scale: number) => ({ genes: [{ gene: 'kjv', scale }] });

describe('a room on disk', () => {
  it('case-18 P5 is gone on with by another troupe: the same words, and only what is new is read', async () => {
    const ada = await troupe.mind('ada', { system: 'You are Ada.' });
    await say(ada, 'Tell me about the sea.');
    const spilled = await ada.spill();
    expect(spilled).toMatchObject({ mind: 'ada', room: 'main', generation: 1 });
    const undisturbed = await say(ada, 'And the ship?');
    await restart();
    const again = await troupe.mind('ada', { system: 'You are Ada.' });
    expect(await again.recall()).toEqual(spilled);
    const next = await say(again, 'And the ship?');
    expect(next.text).toBe(undisturbed.text);
    expect(next.receipt.runs[0]?.processed).toBe(undisturbed.receipt.runs[0]?.processed);
    expect(next.receipt.runs[0]?.pagedIn.bytes).toBeGreaterThan(0);
  });

  it('P5 leaves the page in memory, or frees it', async () => {
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    await ada.spill();
    expect(await troupe.pages.list()).toHaveLength(1);
    expect((await say(ada, 'Two.')).receipt.runs[0]?.reused).toBeGreaterThan(0);
    expect(await ada.spill({ drop: true })).toMatchObject({ generation: 2 });
    await until(() => addon.pages.usage().count === 0, 'a store without pages');
    expect(await troupe.pages.list()).toEqual([]);
  });

  it('P5 is written while the room is just losing its lane, or coming back into it', async () => {
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    await say(ada, 'One.');
    for (let generation = 1; generation <= 10; generation += 2) {
      const [leaving] = await Promise.all([ada.spill(), say(ben, 'Two.')]);
      expect(leaving).toMatchObject({ generation });
      const [coming] = await Promise.all([ada.spill(), say(ada, 'Three.')]);
      expect(coming).toMatchObject({ generation: generation + 1 });
    }
  });

  it('case-7 P3 under other genes, or at another scale, it is refused with what differs', async () => {
    await troupe.genes.load(KJV, { name: 'kjv' });
    const ada = await troupe.mind('ada', kjv(1));
    await say(ada, 'One.');
    await ada.spill();
    await restart();
    await troupe.genes.load(KJV, { name: 'kjv' });
    for (const [options, here] of [
      [{}, 'no genes'],
      [kjv(0.5), expect.stringContaining('x 0.5')],
    ] as const) {
      await using other = await troupe.mind('ada', options);
      await expect(other.recall()).rejects.toMatchObject({
        code: 'PageMismatch',
        detail: { field: 'phenotype', here },
      });
    }
    await using same = await troupe.mind('ada', kjv(1));
    expect(await same.recall()).toMatchObject({ mind: 'ada' });
  });

  it('P3 of another model it is refused before its turn, and nothing of it stays', async () => {
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    await ada.spill();
    await restart({ model: TINY.replace('F16', 'Q8_0') });
    const other = await troupe.mind('ada');
    await expect(other.recall()).rejects.toMatchObject({
      code: 'PageMismatch',
      detail: { field: 'model' },
    });
    expect(addon.pages.usage().count).toBe(0);
  });

  it('P2 is not taken over into a room that is spoken in meanwhile, and nothing of it stays', async () => {
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    await ada.spill({ drop: true });
    await ada.leave();
    const again = await troupe.mind('ada');
    const recalling = again.recall();
    const said = say(again, 'Two.');
    await expect(recalling).rejects.toMatchObject({ code: 'PageMismatch', detail: { field: 'transcript' } });
    await said;
    expect(addon.pages.usage().count).toBe(0);
  });

  it('P5 is listed and removed by mind and room, also when its mind is gone', async () => {
    const names = ['a/b', 'a%2Fb', 'a'];
    for (const name of names) {
      const mind = await troupe.mind(name);
      await mind.turn('One.', { room: 'b/c', maxTokens: 4, sampling: greedy }).result;
      await mind.spill({ room: 'b/c', drop: true });
    }
    const listed = async () => (await troupe.pages.spilled()).pages.map(({ mind, room }) => [mind, room]);
    expect((await listed()).sort()).toEqual(names.map((name) => [name, 'b/c']).sort());
    await troupe.pages.remove('a/b', 'b/c');
    expect((await listed()).sort()).toEqual([
      ['a%2Fb', 'b/c'],
      ['a', 'b/c'],
    ]);
    const detail = { name: 'a/b/b/c' };
    await expect(troupe.pages.remove('a/b', 'b/c')).rejects.toMatchObject({ code: 'NoSuchPage', detail });
  });

  it('P2 is recalled where nothing was said, and only if it is there', async () => {
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    await expect(ada.recall()).rejects.toMatchObject({ code: 'NoSuchPage', detail: { name: 'ada/main' } });
    await expect(ada.spill()).rejects.toMatchObject({ code: 'EmptyLane', detail: { name: 'ada/main' } });
    await say(ben, 'One.');
    await ben.spill();
    await expect(ben.recall()).rejects.toMatchObject({
      code: 'PageMismatch',
      detail: { field: 'transcript' },
    });
  });
});
