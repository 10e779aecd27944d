/**
 * The context as what gives memory back last (B4): it is made anew, smaller, and larger again when its pool has been calm for
 * a while and turns wait. It is never larger than it was asked to be, which is kept over restarts of the broker.
 */
import type { Shape } from '../engine/protocol.js';
import { largerShape, smallerShape } from './context-size.js';
import { bytesOf, type Lease } from './leases.js';
import { type Pool, WARNING } from './pools.js';
import type { Given, Giver } from './relief.js';

/** So long a pool has to have been calm before the context grows: it is made anew then, which costs every lane a move. */
const CALM_MS = 60_000;
/**
 * It could not be made smaller, for a turn ran that is never asked for its lane and no other began meanwhile: others have their
 * turn for so long before it is tried again, twice as long each time.
 */
const REST_MS = 60_000;
const LONGEST_REST_MS = 960_000;

/** Of the context. */
export interface Wish {
  /** What it was asked to be when it was made, and what it grows back to. */
  readonly full: Shape | undefined;
  /** What a user has asked for since. */
  readonly asked: Shape | undefined;
}

export interface ResizeOf {
  readonly now: () => number;
  /** As an earlier start of the broker knew it. */
  readonly wish: Wish | undefined;
  keep(wish: Wish): void;
  leases(): readonly Lease[];
  /** Has the context made anew, smaller or larger. Rejects where it cannot be; it is as it was then. */
  relaunch(shape: Shape, how: 'smaller' | 'larger'): Promise<Shape>;
  /** Turns that wait. */
  waiting(): number;
}

export class Resize implements Giver {
  readonly name = 'context';
  readonly #of: ResizeOf;
  #wish: Wish;
  /** What it is. */
  #shape: Shape | undefined;
  /** It is being made anew. */
  #making = false;
  #calmSince: number | undefined;
  #restMs = REST_MS;
  #restsUntil = 0;

  constructor(of: ResizeOf) {
    this.#of = of;
    this.#wish = of.wish ?? { full: undefined, asked: undefined };
  }

  /** A user wants the context to be so. */
  asked(shape: Shape): void {
    this.#want({ full: this.#wish.full, asked: shape });
  }

  /** An engine is up, of this shape. */
  up(shape: Shape): void {
    const { full, asked } = this.#wish;
    if (full === undefined || isSame(shape, asked)) this.#want({ full: shape, asked: undefined });
    else if (asked !== undefined) this.#want({ full, asked: undefined });
    this.#shape = shape;
    this.#calmSince = undefined;
  }

  /** Smaller than it was asked to be. */
  get isSmall(): boolean {
    const { full } = this.#wish;
    return full !== undefined && this.#shape !== undefined && this.#shape.cells < full.cells;
  }

  /** What it grows back to; undefined where it is as large as it was asked to be. */
  get growsTo(): Shape | undefined {
    return this.isSmall ? this.#wish.full : undefined;
  }

  isIn({ tiers }: Pool): boolean {
    const mayTry = !this.#making && this.#of.now() >= this.#restsUntil;
    return tiers.includes('device') && mayTry && this.#shape !== undefined;
  }

  /** What left its lane for memory of the same pool is not free. */
  async ask(bytes: number, { tiers }: Pool): Promise<Given> {
    const held = (): number => bytesOf(this.#of.leases().filter(({ tier }) => tiers.includes(tier)));
    const before = held();
    const shape = this.#shape && smallerShape(this.#shape, this.#bytes(), bytes);
    if (shape === undefined || !(await this.#make(shape, 'smaller'))) return { outcome: 'refused', bytes: 0 };
    const freed = Math.max(0, before - held());
    return { outcome: freed < bytes ? 'partial' : 'released', bytes: freed };
  }

  /** Grows if it may; called whenever pools were looked at. */
  look(pool: Pool): void {
    const [shape, { full }] = [this.#shape, this.#wish];
    if (shape === undefined || full === undefined || !this.isSmall) return;
    if (pool.pressure >= WARNING) this.#calmSince = undefined;
    else this.#calmSince ??= this.#of.now();
    const isRested = this.#calmSince !== undefined && this.#of.now() - this.#calmSince >= CALM_MS;
    if (!isRested || this.#making || this.#of.now() < this.#restsUntil || this.#of.waiting() === 0) return;
    const larger = largerShape(shape, full, this.#bytes(), pool);
    if (larger !== undefined) void this.#make(larger, 'larger');
  }

  #want(wish: Wish): void {
    this.#wish = wish;
    this.#of.keep(wish);
  }

  async #make(shape: Shape, how: 'smaller' | 'larger'): Promise<boolean> {
    this.#making = true;
    try {
      await this.#of.relaunch(shape, how);
      this.#restMs = REST_MS;
      return true;
    } catch {
      this.#restsUntil = this.#of.now() + this.#restMs;
      this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS);
      return false;
    } finally {
      this.#making = false;
    }
  }

  #bytes(): number {
    return bytesOf(this.#of.leases().filter(({ kind }) => kind === 'context'));
  }
}

const isSame = (a: Shape, b: Shape | undefined): boolean =>
  a.lanes === b?.lanes && a.cells === b.cells && a.context === b.context;
