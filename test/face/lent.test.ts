/** Rooms whose pages memory was too short for: on disk until they are needed again, and no longer. */
import { readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mind, Troupe, TroupeOptions } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { ballast, MIB } from './ballast.js';
import { folder, probesOf, startTroupe, until } from './stage.js';
import { eventually, ran, say } from './talk.js';

/** So much as a troupe of the smallest model needs at least; what it cannot let go of is less. */
const NEEDED = 68 * MIB;

let place: ReturnType<typeof folder>;
let dir: string;
let troupe: Troupe;
beforeEach(() => {
  place = folder();
  dir = `${place.path}/pages`;
});
afterEach(async () => {
  await troupe.stop();
  expect(addon.pages.usage().count).toBe(0);
  place[Symbol.dispose]();
});

const start = async (memory: TroupeOptions['memory'] = {}, lanes = 1): Promise<void> => {
  troupe = await startTroupe({ lanes, memory: { host: NEEDED, pages: 2 ** 30, dir, ...memory } });
};
const onDisk = async () => (await troupe.pages.spilled()).pages;

/** Memory becomes short over a room's page, until that is out of memory. */
async function press(mind: Mind): Promise<void> {
  const relieve = ballast(56 * MIB);
  await mind.pageOut();
  await eventually(async () => (await troupe.pages.list()).length === 0);
  relieve();
}

describe('a room whose page memory is too short for', () => {
  it('B4 is on disk, and comes back from there for its next turn: only what is new is read', async () => {
    await start();
    const first = await troupe.mind('ada');
    await say(first, 'Tell me about the sea.');
    const undisturbed = await say(first, 'And the ship?');
    await first.leave();
    const ada = await troupe.mind('ada');
    await say(ada, 'Tell me about the sea.');
    await press(ada);
    const [file] = await onDisk();
    expect(file).toMatchObject({ mind: 'ada', room: 'main', generation: 1 });
    const next = await say(ada, 'And the ship?');
    expect(next.text).toBe(undisturbed.text);
    const { fromDisk, reused, processed } = ran(next);
    expect(fromDisk).toMatchObject({ failed: undefined });
    expect([reused, processed]).toEqual([file?.tokens, next.receipt.promptTokens - (file?.tokens ?? 0)]);
    await eventually(async () => (await onDisk()).length === 0);
  });

  it.each([
    ['has no room', 'OverDiskBudget', () => ({ disk: 1 })],
    [
      'fails',
      'DiskFailure',
      () => {
        writeFileSync(dir, 'no folder');
        return {};
      },
    ],
  ])('B4 is dropped where the disk %s, which is said; it is read anew', async (_, code, memory) => {
    await start(memory());
    using unwritten = probesOf(troupe, 'page.unwritten');
    const ada = await troupe.mind('ada');
    await say(ada, 'Tell me about the sea.');
    const relieve = ballast(56 * MIB);
    await ada.pageOut();
    await until(() => unwritten.seen.length > 0, 'word of it');
    expect(unwritten.seen[0]).toMatchObject({ activity: `${ada.id}/main`, error: { code } });
    await eventually(async () => (await troupe.pages.list()).length === 0);
    relieve();
    expect(ran(await say(ada, 'And the ship?'))).toMatchObject({ reused: 0, fromDisk: { bytes: 0 } });
  });

  it('B4 does not take the file of another conversation that a mind of its name has left', async () => {
    await start();
    const first = await troupe.mind('ada');
    await say(first, 'Tell me about the sea.');
    const spilled = await first.spill();
    await first.leave();
    using unwritten = probesOf(troupe, 'page.unwritten');
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    await press(ada);
    await until(() => unwritten.seen.length > 0, 'word of it');
    expect(unwritten.seen[0]).toMatchObject({ error: { code: 'PageMismatch' } });
    expect(await onDisk()).toEqual([spilled]);
  });
});

describe('lanes of a context that is made smaller', () => {
  it('B4 are on disk then, and go on from there', async () => {
    await start({}, 2);
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    await say(ada, 'Tell me about the sea.');
    const relieve = ballast(56 * MIB);
    await say(ben, 'Tell me about the sea.');
    await eventually(async () => (await troupe.memory()).cells.total === 512);
    expect(await troupe.pages.list()).toEqual([]);
    const files = await onDisk();
    expect(files.map(({ mind }) => mind)).toEqual(['ada', 'ben']);
    for (const [at, mind] of [ada, ben].entries()) {
      const { fromDisk, reused } = ran(await say(mind, 'And the ship?'));
      expect(fromDisk).toMatchObject({ failed: undefined });
      expect(reused).toBe(files[at]?.tokens);
    }
    relieve();
  });
});

describe('what pressure alone has written', () => {
  it('B4 is gone when its mind has left', async () => {
    await start();
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    await press(ada);
    expect(await onDisk()).toHaveLength(1);
    await ada.leave();
    await eventually(async () => (await onDisk()).length === 0);
  });

  it('B4 is gone when the troupe has ended; what was spilled stays, in its newest generation', async () => {
    await start();
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    await say(ada, 'One.');
    await ada.spill();
    await say(ada, 'Two.');
    await press(ada);
    await say(ben, 'One.');
    await press(ben);
    expect((await onDisk()).map(({ mind, generation }) => [mind, generation])).toEqual([
      ['ada', 2],
      ['ben', 1],
    ]);
    await troupe.stop();
    expect(readdirSync(`${dir}/pages`)).toEqual([expect.stringMatching(/^ada_main-/)]);
    await start();
    const again = await troupe.mind('ada');
    expect(await again.recall()).toMatchObject({ generation: 2 });
    expect(ran(await say(again, 'Three.')).reused).toBeGreaterThan(0);
  });

  it('B4 stays when it is spilled while it is on disk alone', async () => {
    await start();
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    await press(ada);
    const [file] = await onDisk();
    expect(await ada.spill()).toEqual(file);
    await say(ada, 'Two.');
    await ada.leave();
    expect(await onDisk()).toEqual([file]);
  });
});
