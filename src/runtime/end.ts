/**
 * The end of an actor: what it held is let go of, its behaviour stops, and its address and name are given back.
 */
import type { Cell } from './cell.js';
import { ACTOR_STOP_MS } from './defaults.js';
import { ActorEnded } from './errors.js';
import { stop } from './in-time.js';
import type { Envelope } from './message.js';
import { isUnderWay, Phase } from './phases.js';

/** Ends the actor for good. Settles when its `stop` has, or has taken too long, and its name is free. */
export function end(cell: Cell, reason: string): Promise<void> {
  const { home, id } = cell;
  const underWay = home.ending.get(id);
  if (underWay !== undefined) return underWay;
  if (cell.phase === Phase.ended) return Promise.resolve();
  const ending = finish(cell, reason).finally(() => home.ending.delete(id));
  home.ending.set(id, ending);
  return ending;
}

/** Fails the ask behind a message, unless its answer is owed and fails with what is owed. */
export function fail(cell: Cell, envelope: Envelope, error: Error): void {
  cell.home.tracer?.note('failed', cell.id, envelope, error.message);
  if (envelope.ask !== 0 && !envelope.takenOver) cell.home.router.fail(envelope, error);
}

async function finish(cell: Cell, reason: string): Promise<void> {
  const { phase, behaviour, inHand, context, home } = cell;
  const error = new ActorEnded({ actor: cell.name, reason });
  cell.become('end');
  cell.rare?.onEnding?.();
  if (inHand !== undefined) fail(cell, inHand, error);
  context?.release(error);
  for (const envelope of cell.drain()) home.router.deadLetter(cell.id, envelope, error);
  if (isUnderWay(phase)) await settled(cell);
  await stop(cell, behaviour, reason);
  cell.context?.close(error);
  await home.forget(cell, reason);
}

/** What is under way is not left to itself, but not waited for for ever. */
function settled(cell: Cell): Promise<void> {
  return new Promise((resolve) => {
    const timer = cell.home.deadlines.call(ACTOR_STOP_MS, resolve);
    cell.rare ??= {};
    cell.rare.onSettled = () => {
      cell.home.deadlines.drop(timer);
      resolve();
    };
  });
}
