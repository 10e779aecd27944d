/**
 * A mind as its caller holds it.
 */
import type { PageMove } from './actors/engine/protocol.js';
import type { Outcome, Receipt, TurnAnswer } from './actors/mind/protocol.js';
import { checkText } from './check.js';
import {
  ActorEnded,
  asTroupeError,
  fromEnvelope,
  MindLeft,
  SystemStopped,
  ThreadLost,
  type TroupeError,
} from './errors.js';
import { forget } from './forget.js';
import { mindActorName } from './mind-options.js';
import { onEnd } from './on-end.js';
import { checkTurnOptions, type TurnOptions } from './options.js';
import { movePage, type PageOptions } from './paging.js';
import { recall, type SpillOptions, spill } from './recall.js';
import type { ActorId } from './runtime/address.js';
import { Band } from './runtime/message.js';
import { onAbort } from './signal.js';
import type { SpilledPage } from './spilled.js';
import type { Stage } from './stage.js';
import { Turn } from './turn.js';

/** Longer than a turn's own deadline, within which the mind itself ends it. */
const ANSWER_GRACE_MS = 15_000;

export class Mind implements AsyncDisposable {
  readonly name: string;
  /** For `troupe.peek`. */
  readonly id: ActorId;
  readonly #stage: Stage;
  readonly #onLeft: () => void;
  #left: Promise<void> | undefined;

  /** For `Troupe`; a caller gets minds from `troupe.mind()`. */
  constructor(name: string, id: ActorId, stage: Stage, onLeft: () => void) {
    this.name = name;
    this.id = id;
    this.#stage = stage;
    this.#onLeft = onLeft;
  }

  /**
   * Says something to the mind; its reply is the turn. Throws `BadArgument` at once for wrong arguments; whatever goes
   * wrong later is the turn's `error`.
   */
  turn(text: string, options?: TurnOptions): Turn {
    const said = checkText(text, 'text');
    const checked = checkTurnOptions(options);
    const { system, reader, readerId } = this.#stage;
    const number = this.#stage.nextTurn();
    const calledAt = performance.now();
    const wasHere = this.#left === undefined;
    const cancel = (): void =>
      void system.tell(this.id, { type: 'cancel', turn: number }, { band: Band.reserved });
    const turn = new Turn(cancel);
    const firstPiece = (): number | undefined => turn.grewAt && turn.grewAt - calledAt;
    reader.open(number, turn);
    const { room, maxTokens, genes, sampling, stops, onReclaim, deadlineMs, signal } = checked;
    const request = {
      type: 'turn',
      turn: number,
      room,
      text: said,
      maxTokens,
      genes,
      sampling,
      stops,
      onReclaim,
      calledAt: system.main.clock.now(),
      deadlineMs,
      reader: readerId,
    };
    const answered = system.ask<TurnAnswer>(this.id, request, { deadlineMs: deadlineMs + ANSWER_GRACE_MS });
    const deafen = signal && onAbort(signal, cancel);
    answered
      .then(
        ({ outcome, text, receipt, error }) => {
          reader.close(number);
          turn.grow(text?.slice(turn.text.length) ?? '');
          const firstPieceMs = receipt.firstPieceMs ?? firstPiece();
          turn.end({ outcome, receipt: { ...receipt, firstPieceMs }, error: error && fromEnvelope(error) });
        },
        (error: unknown) => {
          reader.close(number);
          const aborted = wasHere && this.#left !== undefined && isGone(error);
          const outcome = aborted ? 'aborted' : 'failed';
          const receipt = this.#lostReceipt(number, room, outcome, performance.now() - calledAt);
          turn.end({
            outcome,
            receipt: { ...receipt, firstPieceMs: firstPiece() },
            error: aborted ? undefined : this.#explain(error),
          });
        },
      )
      .finally(deafen);
    return turn;
  }

  /**
   * Takes what a room of the mind holds in its lane out into a page, after the turn that runs or waits there; its next turn
   * goes on from that. Rejects with `EmptyLane`, `OverCeiling`, `EngineLost` or `DeadlineExceeded`; nothing has changed.
   */
  async pageOut(options?: PageOptions): Promise<PageMove> {
    return movePage(this.#stage, this, 'page-out', options);
  }

  /**
   * Brings a room's page back into a lane, from memory or disk, before its next turn would: of 0 bytes if it is there. Rejects
   * with `NoSuchPage`, `PageMismatch`, `EngineLost` or `DeadlineExceeded`, and where it is on disk alone with what reading it
   * throws; the page stays.
   */
  async pageIn(options?: PageOptions): Promise<PageMove> {
    return movePage(this.#stage, this, 'page-in', options);
  }

  /**
   * Writes a room to disk (`memory.dir`), with what was said in it: its page, out of its lane first if it is there. Its next
   * turn brings back what is on disk alone. It replaces what was on disk of this mind's name and room, also what an earlier
   * process has written: to go on with that, `recall` it first. Rejects as `pageOut`, and with
   * `FolderNotOwn`, `DirectoryInUse`, `DiskFull`, `DiskFailure` or `PublicationUnfinished`.
   */
  async spill(options?: SpillOptions): Promise<SpilledPage> {
    return spill(this.#stage, this, options);
  }

  /**
   * Takes a room over from disk, as a mind of this name left it, maybe in another process: what was said, and its page.
   * Rejects with `NoSuchPage`, `PageCorrupt`, `PageMismatch` (it was computed by another model or under other genes, or
   * something was said in the room already), `OverCeiling`, `FolderNotOwn`, `DirectoryInUse` or `DiskFailure`.
   */
  async recall(options?: PageOptions): Promise<SpilledPage> {
    return recall(this.#stage, this, options);
  }

  /**
   * Makes a room new: what was said in it is gone, what its lane and its page hold, and its file. Rejects with `RoomBusy` while
   * a turn of the room waits or runs, or its page is being moved because somebody asked for it: that call has changed nothing,
   * but one before it that was not answered may have, or may be at it still. Also rejects with `RoomBusy`, and what was said is
   * gone then, while the room has a lane for a turn that was called meanwhile, or for one that its mind has lost. Where it
   * rejects (also with `ActorCrashed`, `AskTimeout`, `DeadlineExceeded`, `DiskFailure`, ...) call it again: that does what is
   * left to do.
   */
  async forget(options?: PageOptions): Promise<void> {
    return forget(this.#stage, this, options);
  }

  /** Why it ended, once it has: it left, crashed for good, or went with the troupe. Never rejects. */
  get ended(): Promise<string> {
    return this.#stage.system.ended(this.id, mindActorName(this.name));
  }

  /** Calls `told` with the reason once it has ended. Answers the function that takes this back. */
  watch(told: (reason: string) => void): () => void {
    return onEnd(this.ended, told);
  }

  /** Ends the mind: its turns end `aborted`, its lanes are free, its name is free. Rejects with `AskTimeout`. */
  leave(): Promise<void> {
    this.#left ??= this.#leave();
    return this.#left;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  async #leave(): Promise<void> {
    const { system } = this.#stage;
    try {
      await system.ask(this.id, { type: 'leave' }, { band: Band.reserved }).catch(unlessGone);
      await system.stopActor(this.id, 'it left').catch(unlessGone);
      this.#onLeft();
    } catch (error) {
      this.#left = undefined;
      throw error;
    }
  }

  #explain(error: unknown): TroupeError {
    if (error instanceof ActorEnded) return new MindLeft({ name: this.name });
    return asTroupeError(error);
  }

  /** The receipt of a turn whose mind could not give one. */
  #lostReceipt(turn: number, room: string, outcome: Outcome, totalMs: number): Receipt {
    return {
      mind: this.name,
      room,
      turn,
      model: this.#stage.modelName,
      phenotype: { genes: [], scales: [] },
      genesMissed: { genes: 0, bytes: 0 },
      runs: [],
      waits: {},
      outcome,
      seed: 0,
      promptTokens: 0,
      maxTokens: 0,
      turnsDropped: 0,
      firstPieceMs: undefined,
      totalMs,
    };
  }
}

/** Whether an ask failed because the mind is not there any more. */
const isGone = (error: unknown): boolean =>
  [ActorEnded, SystemStopped, ThreadLost].some((gone) => error instanceof gone);

function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}
