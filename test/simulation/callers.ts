/**
 * Those who speak with minds: turns called and cancelled, at any message, and in the end what became of each.
 */

import type { NamedGene } from '../../src/actors/residency/protocol.js';
import type { Mind } from '../../src/mind.js';
import { Random } from '../../src/testing/index.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';
import type { Turn, TurnResult } from '../../src/turn.js';
import type { DiskWords } from './disk-words.js';
import { soloReply } from './fake-tokens.js';
import { GENES } from './gene-keeper.js';
import type { LaneOwners } from './lane-owners.js';

const DEADLINE_MS = 20_000;
/** Of one turn in so many: it may be waiting, reading, or running by then. */
const SHORT_MS = 300;
const SHORT_ONE_IN = 10;
/** Of the turns so many end when their lanes are taken back. */
const ENDS_ONE_IN = 3;
/** A fault that goes on counts again after so long. */
const AGAIN_MS = 1_000;
/** Turns that are cancelled at some message, whatever happens there. */
const CANCELS = 6;
/** The streams of a seed's random numbers that the callers draw from. */
const CALLERS = 5;
const CANCELLERS = 14;
const MANNERS = 16;

/** With three genes a turn wants more than there are slots. */
const GENES_ARE_NOT = ['NoSuchGene', 'OtherGenes', 'GeneSlotsFull'];

interface Called {
  readonly number: number;
  readonly mind: Mind;
  readonly turn: Turn;
  readonly isShort: boolean;
  readonly onReclaim: 'resume' | 'end';
  cancelled: boolean;
  endedAt: number | undefined;
}

interface Circumstances {
  readonly disturbed: boolean;
  readonly hasEngine: boolean;
}

export interface Heard {
  readonly owners: LaneOwners;
  readonly words: DiskWords;
}

export class Callers {
  readonly #sim: SimulatedSystem;
  readonly #heard: Heard;
  readonly #random: Random;
  readonly #cancels: Random;
  readonly #manners: Random;
  readonly #called: Called[] = [];
  readonly #left = new Set<Mind>();
  /** Counts of messages at which a turn is cancelled, ascending. */
  readonly #cancelAt: number[];
  /** When faults came to pass. */
  readonly #faultsAt: number[] = [];
  #faults = 0;

  constructor(sim: SimulatedSystem, heard: Heard, seed: number, messages: number) {
    this.#sim = sim;
    this.#heard = heard;
    this.#random = new Random(seed, CALLERS);
    this.#cancels = new Random(seed, CANCELLERS);
    this.#manners = new Random(seed, MANNERS);
    const at = Array.from({ length: CANCELS }, () => this.#cancels.between(1, messages));
    this.#cancelAt = at.sort((a, b) => a - b);
  }

  call(mind: Mind): void {
    const text = `message ${this.#called.length}`;
    const genes = this.#phenotype();
    const isShort = this.#manners.oneIn(SHORT_ONE_IN);
    const deadline = isShort ? this.#manners.between(1, SHORT_MS) : DEADLINE_MS;
    const onReclaim = this.#manners.oneIn(ENDS_ONE_IN) ? ('end' as const) : ('resume' as const);
    const options = {
      ...{ room: `room-${this.#random.below(2)}`, maxTokens: this.#random.between(1, 12) },
      ...{ sampling: { seed: 1 }, deadline, onReclaim },
    };
    const turn = mind.turn(text, genes === undefined ? options : { ...options, genes });
    const number = this.#called.length + 1;
    const called: Called = { number, mind, turn, isShort, onReclaim, cancelled: false, endedAt: undefined };
    this.#called.push(called);
    void turn.result.then(() => {
      called.endedAt = this.#sim.stage.now;
    });
  }

  /** Of the last so many, each with this chance. */
  cancelSome(last: number, oneIn: number): void {
    for (const called of this.#called.slice(-last)) if (this.#random.oneIn(oneIn)) this.#cancel(called);
  }

  /** Between two steps. `faults`: that have come to pass; `isSlow`: one goes on. */
  step(faults: number, isSlow: boolean): void {
    const { messages, stage } = this.#sim;
    const last = this.#faultsAt.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (faults > this.#faults || (isSlow && stage.now - last >= AGAIN_MS)) this.#faultsAt.push(stage.now);
    this.#faults = faults;
    while (this.#cancelAt[0] !== undefined && this.#cancelAt[0] <= messages) {
      this.#cancelAt.shift();
      const open = this.#called.filter(({ endedAt, cancelled }) => endedAt === undefined && !cancelled);
      if (open.length > 0) this.#cancel(this.#cancels.pick(open));
    }
  }

  /** Its turns may end `aborted`. */
  leaves(mind: Mind): void {
    this.#left.add(mind);
  }

  async look(disturbed: boolean): Promise<void> {
    // One that has crashed too often is gone, and who waits for it has a deadline.
    const hasEngine = this.#sim.stage.threads.some((thread) =>
      [...thread.cells()].some(({ name }) => name === 'engine'),
    );
    for (const called of this.#called) {
      const result = await Promise.race([called.turn.result, nothing()]);
      if (result !== undefined) this.#lookAt(called, result, { disturbed, hasEngine });
      else this.#sim.violations.add('every turn settles', `turn ${called.number} has no result`);
    }
  }

  /** A turn ends in a way that it may, and one that ran whole says what it says alone. */
  #lookAt(
    called: Called,
    { outcome, text, error, receipt }: TurnResult,
    { disturbed, hasEngine }: Circumstances,
  ): void {
    const { violations } = this.#sim;
    const { owners, words } = this.#heard;
    const { number, cancelled, mind, isShort, onReclaim } = called;
    const whole = outcome === 'stop' || outcome === 'length';
    // No gene goes that a turn has pinned, unless its pin is forgotten.
    const isPinned = error?.code === 'GeneAbsent' && owners.residencies === 1;
    const isLate = error?.code === 'DeadlineExceeded' && isShort;
    const mayFail = GENES_ARE_NOT.includes(error?.code ?? '') || isLate || (disturbed && !isPinned);
    const mayAbort = cancelled || this.#left.has(mind);
    const mayBeReclaimed = onReclaim === 'end' && receipt.runs.some((run) => run.outcome === 'reclaimed');
    const allowed =
      whole ||
      (outcome === 'aborted' && mayAbort) ||
      (outcome === 'reclaimed' && mayBeReclaimed) ||
      (outcome === 'failed' && mayFail);
    if (!allowed) {
      const what = `turn ${number} ended ${outcome}: ${error?.message ?? 'no error'}`;
      violations.add('every turn ends as it may', what);
    }
    if (error?.code === 'DeadlineExceeded' && !isShort && hasEngine && !this.#wasDisturbed(called)) {
      violations.add('nothing starves', `turn ${number} waited for its whole deadline: ${error.message}`);
    }
    const run = owners.runs.get(number);
    const solo = run && soloReply(run);
    if (whole ? text !== solo : solo?.startsWith(text) === false) {
      violations.add('a turn says what it says alone', `turn ${number} said ${text}; alone ${solo}`);
    }
    words.look(number, receipt);
  }

  /** Whether a fault came to pass in its life. */
  #wasDisturbed({ endedAt = Number.POSITIVE_INFINITY }: Called): boolean {
    return this.#faultsAt.some((at) => at <= endedAt && at >= endedAt - DEADLINE_MS);
  }

  #cancel(called: Called): void {
    called.cancelled = true;
    called.turn.cancel();
  }

  /** undefined: the mind's own. */
  #phenotype(): NamedGene[] | undefined {
    if (!this.#random.oneIn(3)) return undefined;
    const genes = GENES.filter(() => this.#random.oneIn(2));
    return genes.map((gene) => ({ gene, scale: this.#random.oneIn(2) ? 1 : 0.5 }));
  }
}

const nothing = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));
