/**
 * The KV of lanes: emptied, cut and shared, with what is known of it kept in step: checkpoints, and whose cells they are.
 */
import type { NativeContext } from '../../native/addon.js';
import type { Checkpoints } from './checkpoints.js';
import type { Lane } from './lane.js';
import { Origins } from './origins.js';
import type { Source } from './prefix.js';
import { commonLength, type Stretches } from './stretches.js';

export interface SharingListener {
  /** A lane and another one hold the same cells: this is what it holds, and keeps for as long as it has its grant. */
  shared(lane: Lane, stretches: Stretches): void;
}

export interface KvOptions {
  /**
   * Whether a lane keeps what it shares until it is cut, so that this can be counted once. With a sliding window it may have
   * to read that again after a step that failed, into cells of its own.
   */
  readonly keeps: boolean;
  readonly listener: SharingListener;
}

export class Kv {
  readonly #context: NativeContext;
  readonly #checkpoints: Checkpoints;
  readonly #origins: Origins;
  readonly #options: KvOptions;

  constructor(context: NativeContext, checkpoints: Checkpoints, lanes: readonly Lane[], options: KvOptions) {
    this.#context = context;
    this.#checkpoints = checkpoints;
    this.#origins = new Origins(lanes);
    this.#options = options;
  }

  /** A lane's tokens and what is shown of it are left to the caller, here and below. */
  clear(lane: Lane): void {
    this.#context.clear(lane.number);
    this.#origins.clear(lane);
    this.#checkpoints.sync(lane);
  }

  /** As `Checkpoints.cut`. */
  cut(lane: Lane, length: number): number {
    const held = this.#checkpoints.cut(lane, length);
    this.#origins.cut(lane, held);
    return held;
  }

  /** Gives a lane the first cells of another one, in place of what it holds; answers how many it holds then. */
  share({ lane: from, tokens }: Source, lane: Lane): number {
    this.clear(lane);
    if (!this.#context.share(from.number, lane.number, tokens)) return 0;
    if (this.#options.keeps) this.#origins.share(from, lane, tokens);
    return tokens;
  }

  /** Whether two lanes hold the same first cells. */
  agree(a: Lane, b: Lane, cells: number): boolean {
    return commonLength(this.#origins.of(a), this.#origins.of(b)) >= cells;
  }

  /** Says what lanes share, but of one that may yet give that up for more. */
  tellShared(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      const stretches = lane.run?.leader === undefined ? this.#origins.sharedOf(lane) : [];
      if (stretches.length > 0) this.#options.listener.shared(lane, stretches);
    }
  }

  /** A grant is over, or was refused: which cells the lane holds, if others hold some of them too. */
  over(lane: Lane, grant: number): Stretches {
    if (lane.held === 0) return [];
    if (lane.run === undefined) lane.grant = grant;
    return this.#origins.sharedOf(lane);
  }

  /** Cells that all lanes but one hold. */
  heldBeside(lane: number): number {
    return this.#origins.countBeside(lane);
  }
}
