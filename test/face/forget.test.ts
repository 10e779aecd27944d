/** Rooms that are made new: nothing of what was said is left, in the mind, in its lane or page, or on disk. */
import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadArgument, type Mind, RoomBusy, type Troupe, type TurnResult } from '../../src/index.js';
import { Band } from '../../src/runtime/message.js';
import { addon } from '../native/fixtures.js';
import {
  actorOf,
  begun,
  circling,
  ENDLESS,
  folder,
  greedy,
  running,
  savedOf,
  startTroupe,
  systemOf,
  until,
} from './stage.js';
import { eventually, ran } from './talk.js';

let place: ReturnType<typeof folder>;
let troupe: Troupe;
let ada: Mind;
beforeAll(async () => {
  place = folder();
  troupe = await startTroupe({ lanes: 2, memory: { dir: `${place.path}/pages` } });
});
afterAll(async () => {
  await troupe.stop();
  expect(addon.pages.usage().count).toBe(0);
  place[Symbol.dispose]();
});
beforeEach(async () => {
  ada = await troupe.mind('ada');
});
afterEach(async () => {
  await ada.leave();
  for (const { mind, room } of (await troupe.pages.spilled()).pages) await troupe.pages.remove(mind, room);
});

const SEA = 'Tell me about the sea.';
const SHIP = 'And the ship?';
async function say(text: string, room = 'main'): Promise<TurnResult> {
  const result = await ada.turn(text, { room, maxTokens: 16, sampling: greedy }).result;
  expect(result.error).toBeUndefined();
  return result;
}
const saved = async () => [...(await savedOf(troupe, ada.id, 0)).keys()];
const leases = async (tier: string) =>
  (await troupe.memory()).leases.filter(
    (lease) => lease.kind === 'pages' && lease.tier === tier && lease.bytes > 0,
  );
const filesThere = () => readdirSync(`${place.path}/pages/pages`);

/** What it says is what a mind says that was never told anything. */
async function isNew(room = 'main'): Promise<void> {
  const again = await say(SHIP, room);
  const fresh = await say(SHIP, 'another');
  expect(again.text).toBe(fresh.text);
  expect(again.receipt.promptTokens).toBe(fresh.receipt.promptTokens);
  expect(ran(again).fromDisk).toMatchObject({ bytes: 0, failed: undefined });
}

describe('a room that is forgotten', () => {
  it('T8 has nothing said in it, and its lane is empty', async () => {
    await say(SEA);
    await say('And then?');
    await ada.forget();
    await eventually(async () => (await saved()).length === 0);
    await until(() => troupe.inspect().lanes.every(({ state }) => state === 'empty'), 'empty lanes');
    await isNew();
  });

  it('P2 has no page in memory, and the ledger has none', async () => {
    await say(SEA);
    await ada.pageOut();
    await eventually(async () => (await leases('host')).length === 1);
    await ada.forget();
    expect(await troupe.pages.list()).toEqual([]);
    await eventually(async () => (await leases('host')).length === 0);
    expect(addon.pages.usage().count).toBe(0);
    await isNew();
  });

  it.each([
    ['alone', true],
    ['and in memory', false],
  ])('P6 has no file if it was on disk %s', async (_, drop) => {
    await say(SEA);
    await ada.spill({ drop });
    expect(filesThere()).toHaveLength(1);
    await ada.forget();
    expect(filesThere()).toEqual([]);
    expect(await troupe.pages.spilled()).toEqual({ pages: [], damaged: [] });
    await eventually(async () => (await leases('disk')).length === 0);
    await isNew();
    await expect(ada.forget({ room: 'nowhere' })).resolves.toBeUndefined();
  });

  it('T8 is that one alone: other rooms go on, and so do those of a name that begins like it', async () => {
    for (const room of ['a', 'a/b', 'a/']) await say(SEA, room);
    await ada.spill({ room: 'a/b', drop: true });
    await ada.forget({ room: 'a' });
    for (const room of ['a/b', 'a/']) expect(ran(await say(SHIP, room)).reused).toBeGreaterThan(20);
    await isNew('a');
  });

  it('T8 goes on anew, and may be spilled and recalled as any', async () => {
    await say(SEA);
    await ada.forget();
    await say(SHIP);
    const { tokens } = await ada.spill({ drop: true });
    expect(ran(await say('And then?')).reused).toBe(tokens);
  });

  it('T8 R4 stays so when its mind crashes', async () => {
    await say(SEA);
    await ada.forget();
    const bad = { type: 'turn', turn: 0, room: 'x', text: 'x', deadlineMs: 5n, calledAt: 0 };
    systemOf(troupe).tell(ada.id, bad);
    await isNew();
  });

  it('P5 leaves the file of an earlier mind of its name alone, which can then be recalled', async () => {
    await say(SEA);
    const spilled = await ada.spill();
    await ada.leave();
    ada = await troupe.mind('ada');
    await say(SHIP);
    await ada.forget();
    expect(await ada.recall()).toEqual(spilled);
    expect(ran(await say(SHIP)).reused).toBe(spilled.tokens);
    await ada.forget();
    expect(filesThere()).toEqual([]);
  });
});

describe('a room that cannot be forgotten now', () => {
  const busy = (by: string) =>
    expect.objectContaining({ code: 'RoomBusy', detail: { mind: 'ada', room: 'main', by } });

  it('T8 has a turn that runs, or one that waits, and stays as it was', async () => {
    await say(SEA);
    const turns = [ENDLESS, SHIP].map((text) => ada.turn(text, { maxTokens: 400, sampling: circling }));
    await begun(turns[0] as (typeof turns)[0]);
    await expect(ada.forget()).rejects.toEqual(busy('a turn waits or runs there'));
    for (const turn of turns) turn.cancel();
    for (const turn of turns) await turn.result;
    await until(() => running(troupe) === 0, 'a troupe at rest');
    expect(ran(await say(SHIP)).reused).toBeGreaterThan(20);
    await ada.forget();
    await isNew();
  });

  it('T8 is on its way to disk, or is being forgotten', async () => {
    await say(SEA);
    const spilling = ada.spill();
    // Its transcript is asked for first.
    await until(() => /writing|page-out/.test(troupe.why('pager').sentence), 'a pager at work');
    await expect(ada.forget()).rejects.toEqual(busy('its page is being moved, written or read'));
    await spilling;
    const [one, other] = [ada.forget(), ada.forget()];
    await expect(other).rejects.toEqual(busy('it is being forgotten'));
    await one;
    await isNew();
  });

  it('T8 is none of the names that a room may have', async () => {
    await expect(ada.forget({ room: 'a\nb' })).rejects.toThrow(BadArgument);
    await expect(ada.forget({ rom: 'a' } as never)).rejects.toThrow(BadArgument);
    expect(new RoomBusy({ mind: 'ada', room: 'a', by: 'b' }).message).toContain('try again');
  });
});

describe('when something crashes while a room is forgotten', () => {
  const crash = {
    broker: { type: 'request', ticket: 0, activity: 'x', class: 'realtime', cells: 1n, genes: [] },
    pager: { type: 'put-away', pages: null, deadlineMs: 1 },
    engine: { type: 'vacate', claims: null },
  };
  const restartsOf = (who: string) => troupe.inspect().actors.find(({ name }) => name === who)?.restarts ?? 0;

  it.each(Object.keys(crash) as (keyof typeof crash)[])(
    'R4 %s: to do it again does what is left',
    async (who) => {
      await say(SEA);
      await ada.spill();
      const before = restartsOf(who);
      const forgetting = ada.forget().catch((error) => error.code);
      systemOf(troupe).tell(actorOf(troupe, who), crash[who], { band: Band.reserved });
      expect([undefined, 'ActorCrashed', 'AskTimeout']).toContain(await forgetting);
      await until(() => restartsOf(who) > before, 'a restart');
      await ada.forget();
      expect(await troupe.pages.spilled()).toEqual({ pages: [], damaged: [] });
      expect(await troupe.pages.list()).toEqual([]);
      await isNew();
    },
  );
});
