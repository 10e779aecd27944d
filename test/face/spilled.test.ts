/** Rooms that were written to disk and come back by themselves, for their next turn; and what becomes of it when they cannot. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Mind, Troupe, TroupeOptions } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { clear, sharedTroupe } from './shared.js';
import { folder, probesOf, until } from './stage.js';
import { ran, say } from './talk.js';

let place: ReturnType<typeof folder>;
let troupe: Troupe;
beforeAll(() => {
  place = folder();
});
afterEach(async () => {
  await clear();
  await until(() => addon.pages.usage().count === 0, 'a store without pages');
});
afterAll(() => place[Symbol.dispose]());

const start = async (options: TroupeOptions = {}): Promise<void> => {
  troupe = await sharedTroupe(1, { memory: { dir: `${place.path}/pages` }, ...options });
};
/** The folder of a room's files. */
const filesOf = (mind: string): string => {
  const pages = `${place.path}/pages/pages`;
  const found = readdirSync(pages).find((name) => name.startsWith(`${mind}_main-`));
  return join(pages, found ?? 'none');
};
/** A mind that has spoken and is on disk alone. */
async function spilled(name: string): Promise<{ mind: Mind; tokens: number }> {
  const mind = await troupe.mind(name);
  await say(mind, 'Tell me about the sea.');
  const { tokens } = await mind.spill({ drop: true });
  expect(await troupe.pages.list()).toEqual([]);
  return { mind, tokens };
}
/** Whoever reads the file waits until the function is called, and then finds nothing in it. False: nobody is there yet. */
function blocked(path: string): () => boolean {
  rmSync(path);
  execFileSync('mkfifo', [path]);
  return () => {
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      return true;
    } catch {
      return false;
    }
  };
}

describe('a room that is on disk alone', () => {
  it('case-18 P5 comes back for its next turn: the same words, and only what is new is read', async () => {
    await start();
    const first = await troupe.mind('ada');
    await say(first, 'Tell me about the sea.');
    const undisturbed = await say(first, 'And the ship?');
    await first.leave();
    const { mind, tokens } = await spilled('ada');
    using read = probesOf(troupe, 'page.read');
    const next = await say(mind, 'And the ship?');
    expect(next.text).toBe(undisturbed.text);
    const { fromDisk, pagedIn, reused, processed } = ran(next);
    expect(fromDisk).toMatchObject({ bytes: pagedIn.bytes, failed: undefined });
    expect(fromDisk.bytes).toBeGreaterThan(0);
    expect([reused, processed]).toEqual([tokens, next.receipt.promptTokens - tokens]);
    expect(next.receipt.waits.disk).toBeGreaterThanOrEqual(0);
    await until(() => read.seen.length === 1, 'word of the reading');
    expect(read.seen[0]).toMatchObject({ page: 'ada/main', bytes: fromDisk.bytes });
  });

  it('P5 comes back after its mind was passive, and for a page-in', async () => {
    await start({ passivateAfter: 20 });
    const { mind, tokens } = await spilled('ada');
    const isPassive = () =>
      troupe.inspect().actors.some(({ id, state }) => id === mind.id && state === 'passive');
    await until(isPassive, 'a passive mind');
    expect(ran(await say(mind, 'And the ship?'))).toMatchObject({ reused: tokens });
    await mind.spill({ drop: true });
    expect((await mind.pageIn()).bytes).toBeGreaterThan(0);
    expect(troupe.inspect().lanes).toMatchObject([{ state: 'idle', mind: mind.id }]);
  });

  it('P5 is on disk still when its page in memory is dropped, and spilling it again changes nothing', async () => {
    await start();
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    const first = await ada.spill();
    await troupe.pages.drop('ada');
    expect(await ada.spill()).toEqual(first);
    expect(ran(await say(ada, 'Two.')).reused).toBe(first.tokens);
  });

  it('P5 leaves with its mind, and its files stay', async () => {
    await start();
    const { mind, tokens } = await spilled('ada');
    await mind.leave();
    const again = await troupe.mind('ada');
    expect(ran(await say(again, 'And the ship?'))).toMatchObject({ reused: 0, fromDisk: { bytes: 0 } });
    await again.leave();
    expect(await (await troupe.mind('ada')).recall()).toMatchObject({ tokens });
  });

  it.each([
    ['is gone', 'NoSuchPage', (files: string) => rmSync(files, { recursive: true })],
    [
      'differs by a bit',
      'PageCorrupt',
      (files: string) => {
        const bytes = readFileSync(`${files}/0-kv`);
        bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
        writeFileSync(`${files}/0-kv`, bytes);
      },
    ],
  ])('P5 whose file %s is read anew, and its receipt says so', async (_, code, spoil) => {
    await start();
    const { mind } = await spilled('ada');
    spoil(filesOf('ada'));
    using unread = probesOf(troupe, 'page.unread');
    const next = await say(mind, 'And the ship?');
    const failed = { code, message: expect.any(String) };
    expect(ran(next)).toMatchObject({ reused: 0, fromDisk: { bytes: 0, failed }, pagedIn: { bytes: 0 } });
    await until(() => unread.seen.length === 1, 'word of the failure');
    expect(unread.seen[0]).toMatchObject({ page: 'ada/main', error: { code } });
    expect(ran(await say(mind, 'Who was aboard?'))).toMatchObject({ fromDisk: { failed: undefined } });
  });
});

describe('while a page is read from disk', () => {
  it('P5 R6 anyone sees it, others go on, and a cancelled turn ends', async () => {
    await start();
    const { mind } = await spilled('ada');
    const goOn = blocked(`${filesOf('ada')}/0-kv`);
    const turn = mind.turn('And the ship?');
    const why = () => troupe.why('ada').sentence;
    const waits = () => until(() => why().includes('reading ada/main from disk'), 'a wait for the disk');
    await waits();
    expect(why()).toContain('for pager (disk)');
    await say(await troupe.mind('ben'), 'One.');
    turn.cancel();
    expect(await turn.result).toMatchObject({ outcome: 'aborted' });
    const next = say(mind, 'And the ship?');
    await waits();
    await until(goOn, 'a reader of the file');
    expect(ran(await next).fromDisk.failed).toMatchObject({ code: 'PageCorrupt' });
  });

  it('P5 E7 a relaunch does not wait for it, and a mind and a troupe leave', async () => {
    await start();
    const [ada, ben] = [await spilled('ada'), await spilled('ben')];
    const goOn = [blocked(`${filesOf('ada')}/0-kv`), blocked(`${filesOf('ben')}/0-kv`)];
    const turns = [ada.mind.turn('And the ship?'), ben.mind.turn('And the ship?')];
    await until(() => troupe.why('ben').sentence.includes('(disk)'), 'a wait for the disk');
    expect(await troupe.relaunch({ lanes: 2 })).toMatchObject({ lanes: 2 });
    await ada.mind.leave();
    expect(await turns[0]?.result).toMatchObject({ outcome: 'aborted' });
    const stopping = troupe.stop();
    expect(await turns[1]?.result).toMatchObject({ outcome: 'aborted' });
    let stopped = false;
    void stopping.then(() => {
      stopped = true;
    });
    await until(() => goOn.map((go) => go()).length > 0 && stopped, 'a troupe that has stopped');
  });
});
