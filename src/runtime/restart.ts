/**
 * Between a crash and the next start: whether there is one, and the wait before it. The actor keeps its mailbox
 * meanwhile.
 */
import { Board, Field } from './board.js';
import type { Cell } from './cell.js';
import { RESTARTS } from './defaults.js';
import { judgeRestart, NO_CRASHES } from './supervision.js';

export type Order =
  | { readonly type: 'start'; readonly afterMs: number }
  | { readonly type: 'end'; readonly reason: string };

/** What becomes of an actor that has crashed. */
export function orderFor(cell: Cell, cause: string): Order {
  const { home } = cell;
  cell.rare ??= {};
  const { record = NO_CRASHES, restart = RESTARTS } = cell.rare;
  const verdict = judgeRestart(record, home.now, restart, home.random);
  if (!verdict.restart) return { type: 'end', reason: `crashed: ${cause}` };
  cell.rare.record = verdict.record;
  return { type: 'start', afterMs: verdict.afterMs };
}

/** The wait before a restart; it shows on the board, and the end of the actor ends it. */
export async function pause(cell: Cell, ms: number): Promise<void> {
  const { home, slot } = cell;
  const at = Board.at(slot) + Field.startsAt;
  home.board.words[at] = home.stamp + ms;
  cell.rare ??= {};
  const { rare } = cell;
  await new Promise<void>((resolve) => {
    const timer = home.deadlines.call(ms, resolve);
    rare.onEnding = () => {
      home.deadlines.drop(timer);
      resolve();
    };
  });
  rare.onEnding = undefined;
  if (!cell.ended) home.board.words[at] = 0;
}
