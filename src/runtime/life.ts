/**
 * The life of an actor: start, crash and restart; `end.ts` has its end. What its cell holds is changed there and here.
 */
import type { Behaviour } from './actor.js';
import type { ActorId } from './address.js';
import { Board, Field } from './board.js';
import type { Cell } from './cell.js';
import { CellContext } from './context.js';
import { ACTOR_START_MS } from './defaults.js';
import { end, fail } from './end.js';
import {
  ActorCrashed,
  ActorEnded,
  asTroupeError,
  BadArgument,
  SiblingCrashed,
  type TroupeError,
} from './errors.js';
import { inTime, isPromise, stop } from './in-time.js';
import { Band, type Envelope } from './message.js';
import { Phase } from './phases.js';
import { orderFor, pause } from './restart.js';
import type { CrashRecord, RestartPolicy } from './supervision.js';

/** The part of a cell that most never need. */
export interface Rare {
  /** Threads of senders that were told that the user band is full. */
  toldFull?: Set<number>;
  startMs?: number | undefined;
  restart?: RestartPolicy | undefined;
  parent?: ActorId | undefined;
  record?: CrashRecord;
  /** Idle for so long, it vanishes until the next message. */
  passivateMs?: number | undefined;
  /** A start, or the stop before it is passive, is over. */
  onSettled?: () => void;
  /** Its end ends what it waits for before it starts again. */
  onEnding?: () => void;
  /** It is taken down while it waits to start again. */
  onTakenDown?: ((cause: TroupeError) => void) | undefined;
  /** It ends because it crashed too often, or could not start. */
  gaveUp?: boolean;
}

/**
 * Makes the behaviour. Rejects with what `start` threw, `AskTimeout` or `ActorEnded`; the actor has then ended. One that has lived
 * before is as one that has crashed: it is started once more, as often as it may crash.
 */
export async function start(
  cell: Cell,
  incarnation: number,
  saved: ReadonlyMap<string, unknown>,
): Promise<void> {
  if (cell.phase === Phase.ended) throw ended(cell);
  cell.become('start');
  try {
    await begin(cell, incarnation, saved);
  } catch (error) {
    if (incarnation > 0 && cell.phase === Phase.starting && cell.rare?.parent === undefined) {
      void startAgain(cell, startFailed(cell, error));
      return;
    }
    note(cell, error);
    failStart(cell, error);
    cell.rare?.onSettled?.();
    throw error;
  }
  cell.rare?.onSettled?.();
}

/** Ends an actor that could not start, unless it has been ended: its supervisor must not take that for an end that was meant. */
export function failStart(cell: Cell, error: unknown): void {
  if (cell.phase !== Phase.ended) cell.rare = { ...cell.rare, gaveUp: true };
  void end(cell, `its start failed: ${asTroupeError(error).message}`);
}

/** A handler, or work of the actor's own, threw. `urgent`: the message in hand, when it was not a user message. */
export function crash(cell: Cell, cause: unknown, messageType: string, urgent?: Envelope): void {
  if (cell.phase === Phase.ended) return;
  const { behaviour, home } = cell;
  const thrown = asTroupeError(cause);
  const error = new ActorCrashed({ actor: cell.name, message: messageType, cause: thrown.message });
  note(cell, cause);
  if (urgent !== undefined) fail(cell, urgent, error);
  drop(cell, error);
  home.probes.emit({
    name: 'actor.crashed',
    actor: error.detail.actor,
    message: messageType,
    error: thrown.message,
  });
  home.onCrash?.(cell, error);
  // What crashes before its behaviour is there fails its start, which is under way.
  if (behaviour !== undefined) void restart(cell, stop(cell, behaviour, 'crashed'), thrown);
}

/** Its supervisor starts it again. Settles when its behaviour has stopped; a start under way fails. */
export async function takeDown(cell: Cell, error: TroupeError): Promise<void> {
  const { behaviour } = cell;
  if (behaviour === undefined) {
    if (cell.phase === Phase.passive) tellUp(cell);
    else {
      cell.context?.close(error);
      cell.rare?.onTakenDown?.(error);
    }
    return;
  }
  drop(cell, error);
  const stopped = stop(cell, behaviour, error.message);
  void restart(cell, stopped, error);
  await stopped;
}

/** What it had in hand, owed and held is lost. */
function drop(cell: Cell, error: TroupeError): void {
  const { inHand, home } = cell;
  if (cell.phase === Phase.running) cell.become('down');
  if (inHand !== undefined) fail(cell, inHand, error);
  cell.context?.close(error);
  home.watches.drop(cell.id);
}

async function begin(cell: Cell, incarnation: number, saved: ReadonlyMap<string, unknown>): Promise<void> {
  if (cell.phase !== Phase.starting || cell.definition === undefined) throw ended(cell);
  const context = new CellContext(cell, incarnation);
  cell.context = context;
  const { definition, args, home } = cell;
  const make = (): Behaviour | Promise<Behaviour> => definition.start(context, args, saved);
  const made = home.runAs(context, make);
  const behaviour = isPromise(made) ? await startInTime(cell, context, made) : made;
  if (context.closed !== undefined || cell.phase !== Phase.starting) {
    await stop(cell, behaviour, 'it ended while it started');
    throw context.closed ?? ended(cell);
  }
  checkBehaviour(behaviour);
  cell.held?.commit();
  cell.become('started', behaviour);
  home.passivation.started(cell);
  if (cell.held?.stopping !== undefined) {
    cell.stopIfAsked();
    throw ended(cell);
  }
  if (cell.isReady && !cell.queued) cell.home.dispatcher.ready(cell);
  if (incarnation > 0) tellUp(cell);
}

/** A start that answers none would leave an actor that takes messages and handles none. */
function checkBehaviour(behaviour: Behaviour): void {
  if (typeof behaviour?.receive === 'function') return;
  const expected = 'a behaviour: an object with a `receive`';
  throw new BadArgument({ argument: 'what start answers', value: behaviour, expected });
}

/** To its supervisor, if it has one: it runs, or will at its next message. */
export function tellUp(cell: Cell): void {
  const parent = cell.rare?.parent;
  if (parent === undefined) return;
  cell.home.router.tell(cell.id, parent, { type: 'up', child: cell.id }, Band.reserved);
}

async function startInTime(cell: Cell, context: CellContext, made: Promise<Behaviour>): Promise<Behaviour> {
  const { deadlocks } = cell.home;
  deadlocks.starts(cell, context);
  try {
    return await inTime(cell, made, cell.rare?.startMs ?? ACTOR_START_MS, 'start');
  } catch (error) {
    context.close(asTroupeError(error));
    // What a start makes that was given up is freed when it comes after all.
    made.then(
      (late) => stop(cell, late, 'it started too late'),
      () => {},
    );
    throw error;
  } finally {
    deadlocks.started(cell);
  }
}

async function restart(cell: Cell, stopped: Promise<void>, cause: TroupeError): Promise<void> {
  await stopped;
  await startAgain(cell, cause);
}

/** Starts from what was saved, until it succeeds or is to end. `cause`: why it is down, if it did not just vanish. */
export async function startAgain(cell: Cell, cause: TroupeError | undefined): Promise<void> {
  for (let last = cause; cell.phase === Phase.starting; ) {
    let afterMs: number | undefined;
    if (last !== undefined) {
      const order = await orderFor(cell, last);
      if (cell.phase !== Phase.starting) break;
      if (order.type === 'end') {
        void end(cell, order.reason);
        break;
      }
      afterMs = order.afterMs;
    }
    try {
      const saved = await readyToStart(cell, afterMs);
      if (cell.phase !== Phase.starting) break;
      await begin(cell, (cell.context as CellContext).incarnation + 1, saved);
      break;
    } catch (error) {
      if (cell.phase !== Phase.starting) break;
      last = error instanceof SiblingCrashed ? error : startFailed(cell, error);
    }
  }
  cell.rare?.onSettled?.();
}

/**
 * Waits, if it is to, and answers what was saved. Rejects when it is taken down meanwhile: by a supervisor that was started
 * again since it crashed, and takes it for one that is up.
 */
async function readyToStart(cell: Cell, afterMs: number | undefined): Promise<ReadonlyMap<string, unknown>> {
  const { home } = cell;
  let taken: TroupeError | undefined;
  const onTakenDown = (cause: TroupeError): void => {
    taken = cause;
    cell.rare?.onEnding?.();
  };
  cell.rare = { ...cell.rare, onTakenDown };
  if (afterMs !== undefined) await pause(cell, afterMs);
  if (cell.phase === Phase.starting && taken === undefined && afterMs !== undefined) {
    home.board.count(Board.at(cell.slot) + Field.restarts);
  }
  const saved = await home.loadSaved(cell.id);
  cell.rare = { ...cell.rare, onTakenDown: undefined };
  if (taken !== undefined) throw taken;
  return saved;
}

function startFailed(cell: Cell, error: unknown): TroupeError {
  const thrown = asTroupeError(error);
  note(cell, thrown);
  cell.home.probes.emit({ name: 'actor.crashed', actor: cell.name, message: 'start', error: thrown.message });
  return thrown;
}

function note(cell: Cell, error: unknown): void {
  if (cell.phase === Phase.ended) return;
  cell.home.board.noteError(cell.slot, asTroupeError(error).message);
}

const ended = (cell: Cell): TroupeError =>
  new ActorEnded({ actor: cell.name, reason: 'it ended while it started' });
