/**
 * A relaunch as a caller asks for it: the same weights under a context with other numbers.
 */
import type { Shape } from './actors/engine/protocol.js';
import { readStatus, Status } from './actors/engine/status.js';
import { checkFields, checkMs, checkWhole } from './check.js';
import type { ModelHeader } from './native/addon.js';
import { type CheckedTroupeOptions, fitContext } from './options.js';
import { checkMemory, type Stage } from './stage.js';

/** The longest that turns may wait for an engine to come back. */
const DEFAULT_DEADLINE_MS = 240_000;
/** Longer than the deadline that the broker itself holds: a large context takes seconds to make. */
const ANSWER_GRACE_MS = 60_000;

export interface RelaunchOptions {
  /** 1 to 256; default: as many as there are. */
  readonly lanes?: number;
  /** Tokens that one lane may hold; default: as it is. */
  readonly context?: number;
  /** KV places shared by all lanes; default lanes x context. */
  readonly cells?: number;
  /** Milliseconds that the turns which run may take to end; default 240,000. */
  readonly deadline?: number;
}

/** Relaunches of one troupe. */
export class Relaunches {
  readonly #options: CheckedTroupeOptions;
  readonly #header: ModelHeader;
  readonly #status: Int32Array;
  /** One at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CheckedTroupeOptions, header: ModelHeader, status: Int32Array) {
    this.#options = options;
    this.#header = header;
    this.#status = status;
  }

  async ask(stage: Stage, options: unknown): Promise<Shape> {
    const given = checkFields<RelaunchOptions>(options, 'options', ['lanes', 'context', 'cells', 'deadline']);
    const deadlineMs = checkMs(given.deadline, 'options.deadline') ?? DEFAULT_DEADLINE_MS;
    const wanted = {
      lanes: checkWhole(given.lanes, 'options.lanes', 1, 256) ?? readStatus(this.#status, Status.lanes),
      context:
        checkWhole(given.context, 'options.context', 16, 2 ** 24) ?? readStatus(this.#status, Status.context),
      cells: checkWhole(given.cells, 'options.cells', 16, 2 ** 30),
    };
    const shape = { lanes: wanted.lanes, ...fitContext(wanted, this.#header.contextTrain) };
    checkMemory(this.#options, this.#header, shape.cells);
    const { system, mindArgs } = stage;
    const message = { type: 'relaunch', shape, deadlineMs };
    const ask = (): Promise<Shape> =>
      system.ask<Shape>(mindArgs.broker, message, { deadlineMs: deadlineMs + ANSWER_GRACE_MS });
    const mine = this.#last.then(ask, ask);
    this.#last = mine.catch(() => {});
    return mine;
  }
}
