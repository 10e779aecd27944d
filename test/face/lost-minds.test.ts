/** Minds whose thread is lost: they come back with it, and find their rooms where they were. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mind, Troupe } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { clear, sharedTroupe } from './shared.js';
import { probesOf, systemOf, threadOf, until } from './stage.js';
import { ran, say } from './talk.js';

let troupe: Troupe;
let ada: Mind;
let ben: Mind;
beforeEach(async () => {
  troupe = await sharedTroupe(1);
  [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
});
afterEach(async () => {
  await clear();
  await until(() => addon.pages.usage().count === 0, 'a store without pages');
});

const killThread = (): Promise<void> => {
  const { thread } = troupe.inspect().actors.find(({ id }) => id === ada.id) as { thread: string };
  return systemOf(troupe).terminateThread(threadOf(troupe, thread));
};
/** Their thread is lost, and is back with them. */
async function lose(): Promise<void> {
  using restarts = probesOf(troupe, 'thread.restarted');
  await killThread();
  await until(() => restarts.seen.length > 0, 'their thread');
}

describe('a mind that was lost with its thread', () => {
  it('P5 T6 has the room that is on disk alone come back by itself', async () => {
    await say(ada, 'Tell me about the sea.');
    const { tokens } = await ada.spill({ drop: true });
    await lose();
    const { reused, fromDisk } = ran(await say(ada, 'And the ship?'));
    expect([reused, fromDisk.bytes > 0]).toEqual([tokens, true]);
  });

  it('P1 T6 keeps pages: the one that it had, and those of lanes that it leaves later', async () => {
    await say(ada, 'One.');
    await say(ben, 'Two.');
    await lose();
    expect(ran(await say(ada, 'Three.')).pagedIn.bytes).toBeGreaterThan(0);
    expect(ran(await say(ben, 'Four.')).pagedIn.bytes).toBeGreaterThan(0);
    expect(await troupe.pages.list()).toMatchObject([{ mind: 'ada', room: 'main' }]);
    expect((await ben.spill()).tokens).toBeGreaterThan(0);
  });

  it('T6 and left before it was back leaves no pages behind', async () => {
    await say(ada, 'One.');
    await say(ben, 'Two.');
    expect(addon.pages.usage().count).toBe(1);
    await killThread();
    await ada.leave();
    await until(() => addon.pages.usage().count === 0, 'a store without pages');
  });
});
