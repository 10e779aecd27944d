/** Rooms that are spoken in, moved, spilled, recalled and left at random: whatever comes together, all of it settles. */
import { expect, it } from 'vitest';
import type { Mind, TurnResult } from '../../src/index.js';
import { Random } from '../../src/testing/index.js';
import { addon } from '../native/fixtures.js';
import { folder, greedy, probesOf, startTroupe } from './stage.js';

const SEEDS = process.env.TROUPE_SOAK === undefined ? 1 : 10;
const STEPS = 150;
const NAMES = ['ada', 'ben', 'cleo', 'dora', 'eve', 'fay'];
/** Room for some of the rooms' pages. */
const PAGE_BYTES = 150_000;
/** What may be refused: there may be nothing to move, or no room for it, or it may be elsewhere by then. */
const MAY_REFUSE = ['EmptyLane', 'NoSuchPage', 'OverCeiling', 'PageMismatch', 'ActorEnded', 'MailboxFull'];

it.each(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
  'P5 P2 rooms that move at random all settle, and nothing is left (seed %i)',
  async (seed) => {
    using place = folder();
    const random = new Random(seed, 1);
    const memory = { dir: `${place.path}/pages`, pages: PAGE_BYTES };
    const troupe = await startTroupe({ lanes: 2, memory, passivateAfter: 50 });
    using crashes = probesOf(troupe, 'actor.crashed');
    const minds = new Map<string, Mind>();
    for (const name of NAMES) minds.set(name, await troupe.mind(name));
    const turns: Promise<TurnResult>[] = [];
    const moves: Promise<unknown>[] = [];
    const moved = (move: Promise<unknown>): void => {
      moves.push(move.catch((error: { code?: string }) => expect(MAY_REFUSE).toContain(error.code)));
    };
    for (let step = 0; step < STEPS; step++) {
      const name = NAMES[random.below(NAMES.length)] as string;
      const mind = minds.get(name) as Mind;
      const what = random.below(20);
      if (what < 10) {
        const turn = mind.turn(`Say ${step}.`, { maxTokens: 6, sampling: greedy });
        if (random.oneIn(10)) setTimeout(() => turn.cancel(), random.below(50));
        turns.push(turn.result);
      } else if (what < 15) moved(mind.spill({ drop: random.oneIn(2) }));
      else if (what < 16) moved(mind.pageOut());
      else if (what < 18) moved(mind.pageIn());
      else if (random.oneIn(2)) moved(troupe.relaunch({ lanes: random.between(1, 3) }));
      else {
        await mind.leave();
        const again = await troupe.mind(name);
        minds.set(name, again);
        moved(again.recall());
      }
      if (random.oneIn(3)) await (turns.at(-1) ?? moves.at(-1));
    }
    await Promise.all(moves);
    for (const { outcome } of await Promise.all(turns))
      expect(['stop', 'length', 'aborted']).toContain(outcome);
    expect(crashes.seen).toEqual([]);
    await troupe.stop();
    expect(addon.pages.usage().count).toBe(0);
  },
);
