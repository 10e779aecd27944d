/**
 * Passivation: an actor that was idle for as long as its spawn allows gives up its behaviour and what that holds. Its
 * address, name and mailbox stay; the next message starts it again from the state that it handed over.
 *
 * The actors of a thread that may vanish are looked at together, by one timer that runs only while there are any; a
 * message costs nothing for it.
 */
import { Board, Field } from './board.js';
import type { Cell } from './cell.js';
import type { Deadline } from './deadlines.js';
import { ActorEnded } from './errors.js';
import { stop } from './in-time.js';
import { startAgain, tellUp } from './life.js';
import { Phase } from './phases.js';
import type { Thread } from './thread.js';

/** Looks at an actor between becoming idle and vanishing: it vanishes at most one part later than it may. */
const LOOKS = 4;

/** What a behaviour of before finds when it still acts; made once, as passive actors should weigh little. */
const VANISHED = new ActorEnded({ actor: 'an earlier start of a passive actor', reason: 'it was idle' });

interface Seen {
  /** Messages it had taken then. */
  taken: number;
  /** When it was first seen with so many, ms since the epoch. */
  since: number;
}

export class Passivation {
  readonly #thread: Thread;
  /** Actors that have a behaviour and may vanish. */
  readonly #candidates = new Map<Cell, Seen>();
  #next: Deadline | undefined;
  #nextAt = Number.POSITIVE_INFINITY;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** An actor has started. */
  started(cell: Cell): void {
    const afterMs = cell.rare?.passivateMs;
    if (afterMs === undefined) return;
    const { now } = this.#thread;
    this.#candidates.set(cell, { taken: takenBy(cell), since: now });
    this.#lookAt(now + afterMs / LOOKS);
  }

  get size(): number {
    return this.#candidates.size;
  }

  #lookAt(at: number): void {
    const { deadlines, now } = this.#thread;
    if (at >= this.#nextAt) return;
    if (this.#next !== undefined) deadlines.drop(this.#next);
    this.#nextAt = at;
    this.#next = deadlines.call(at - now, () => {
      this.#next = undefined;
      this.#nextAt = Number.POSITIVE_INFINITY;
      this.#look();
    });
  }

  #look(): void {
    const now = this.#thread.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [cell, seen] of this.#candidates) {
      const afterMs = cell.rare?.passivateMs;
      if (cell.phase !== Phase.running || afterMs === undefined) {
        this.#candidates.delete(cell);
        continue;
      }
      const taken = takenBy(cell);
      if (taken !== seen.taken || !isIdle(cell)) {
        seen.taken = taken;
        seen.since = now;
      } else if (now - seen.since >= afterMs && consents(cell)) {
        this.#candidates.delete(cell);
        void vanish(cell);
        continue;
      }
      next = Math.min(next, Math.max(seen.since + afterMs, now + afterMs / LOOKS));
    }
    if (next < Number.POSITIVE_INFINITY) this.#lookAt(next);
  }
}

/** A message has come for a passive actor. */
export function awaken(cell: Cell): void {
  cell.become('start');
  void startAgain(cell, undefined);
}

async function vanish(cell: Cell): Promise<void> {
  const { behaviour } = cell;
  cell.become('idle');
  cell.context?.close(VANISHED);
  await stop(cell, behaviour, 'it was idle');
  cell.rare?.onSettled?.();
  if (cell.phase !== Phase.vanishing) return;
  cell.trim();
  cell.become('vanished');
  // Taken down with a sibling meanwhile, it is as good as started.
  tellUp(cell);
  if (cell.hasWork(false)) awaken(cell);
}

/** Nothing is in hand, queued, owed, awaited or under way. */
const isIdle = (cell: Cell): boolean =>
  cell.inHand === undefined && !cell.hasWork(false) && cell.held?.isEmpty !== false;

function consents(cell: Cell): boolean {
  const { behaviour, context } = cell;
  if (behaviour?.passivate === undefined || context === undefined) return true;
  try {
    const asked = (): boolean | undefined => context.within(undefined, () => behaviour.passivate?.(context));
    const agreed = cell.home.runAs(context, asked) !== false;
    cell.stopIfAsked();
    return agreed && cell.phase === Phase.running && isIdle(cell);
  } catch (error) {
    cell.crash(error, 'passivate');
    return false;
  }
}

/** Of all bands. */
function takenBy({ home, slot }: Cell): number {
  const at = Board.at(slot) + Field.taken;
  const { words } = home.board;
  return ((words[at] as number) + (words[at + 1] as number) + (words[at + 2] as number)) | 0;
}
