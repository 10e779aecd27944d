/**
 * Between a crash and the next start: whether there is one, and the wait before it. The actor keeps its mailbox
 * meanwhile.
 */
import { Board, Field } from './board.js';
import type { Cell } from './cell.js';
import { ASK_DEADLINE_MS, RESTARTS, RESUME_MS } from './defaults.js';
import { Escalated, SiblingCrashed, type TroupeError } from './errors.js';
import { Band, type Message } from './message.js';
import { Phase } from './phases.js';
import { judgeRestart, NO_CRASHES } from './supervision.js';
import type { Order } from './supervision-protocol.js';
import { Waits } from './waits.js';

/** What becomes of an actor that is down. Its supervisor says so; if none can be asked, it is decided here. */
export async function orderFor(cell: Cell, cause: TroupeError): Promise<Order> {
  const parent = cell.rare?.parent;
  if (parent === undefined) return ownOrder(cell, cause);
  const { message: reason } = cause;
  const crashed = !(cause instanceof SiblingCrashed);
  const stopper = new AbortController();
  cell.rare = { ...cell.rare, onEnding: () => stopper.abort() };
  const waits = new Waits(cell.home.board, cell.id);
  const ask = <T>(message: Message, deadlineMs: number): Promise<T> => {
    const wait = waits.add('be started again', cell.home.now, deadlineMs, parent, undefined);
    const options = { band: Band.reserved, deadlineMs, signal: stopper.signal };
    return cell.home.router.ask<T>(cell.id, parent, message, options, wait);
  };
  try {
    const order = await ask<Order | undefined>(
      { type: 'down', child: cell.id, reason, crashed },
      ASK_DEADLINE_MS,
    );
    return order ?? (await ask<Order>({ type: 'resume', child: cell.id }, RESUME_MS));
  } catch {
    return ownOrder(cell, cause);
  }
}

/** The wait before a restart; it shows on the board, and the end of the actor ends it. */
export async function pause(cell: Cell, ms: number): Promise<void> {
  const { home, slot } = cell;
  const at = Board.at(slot) + Field.startsAt;
  home.board.words[at] = home.stamp + ms;
  await new Promise<void>((resolve) => {
    const timer = home.deadlines.call(ms, resolve);
    const onEnding = (): void => {
      home.deadlines.drop(timer);
      resolve();
    };
    cell.rare = { ...cell.rare, onEnding };
  });
  if (cell.phase !== Phase.ended) home.board.words[at] = 0;
}

function ownOrder(cell: Cell, cause: TroupeError): Order {
  const { home } = cell;
  const reason = `crashed: ${cause.message}`;
  const { record = NO_CRASHES, restart = RESTARTS } = cell.rare ?? {};
  const verdict = judgeRestart(record, home.now, restart, home.random);
  if (cell.phase === Phase.ended) return { type: 'end', reason };
  // Who gives up has tried for as long as was worth it.
  if (!verdict.restart || cause instanceof Escalated) {
    home.probes.emit({ name: 'actor.given_up', actor: cell.name, reason });
    cell.rare = { ...cell.rare, gaveUp: true };
    return { type: 'end', reason };
  }
  cell.rare = { ...cell.rare, record: verdict.record };
  return { type: 'start', afterMs: verdict.afterMs };
}
