/**
 * Whose cells each lane holds: kept beside what the native context does, which does not tell.
 */
import { countCells, cutTo, lengthOf, type Stretches } from './stretches.js';

/** A lane, and how many cells it holds; those that it computes make them more. */
export interface HoldingLane {
  readonly number: number;
  readonly held: number;
}

interface Known {
  /** What it has taken over, or computed before it was cut. */
  readonly stretches: Stretches;
  /** Of what it has computed since, and will compute. */
  readonly own: number;
}

export class Origins {
  readonly #lanes: readonly HoldingLane[];
  readonly #known: Known[];
  #last = 0;

  /** All lanes, by number. */
  constructor(lanes: readonly HoldingLane[]) {
    this.#lanes = lanes;
    this.#known = lanes.map(() => this.#fresh([]));
  }

  /** What a lane holds. */
  of({ number, held }: HoldingLane): Stretches {
    const { stretches, own } = this.#known[number] as Known;
    return held > lengthOf(stretches) ? [...stretches, { origin: own, to: held }] : cutTo(stretches, held);
  }

  /** What a lane holds, if another one holds some of it too; else nothing. */
  sharedOf(lane: HoldingLane): Stretches {
    const first = this.#first(lane);
    const isShared =
      first !== undefined &&
      this.#lanes.some((other) => other.number !== lane.number && this.#first(other) === first);
    return isShared ? this.of(lane) : [];
  }

  /** A lane holds nothing any more, or what came from elsewhere. */
  clear({ number }: HoldingLane): void {
    this.#known[number] = this.#fresh([]);
  }

  /** A lane is about to hold only so many of its cells. */
  cut(lane: HoldingLane, to: number): void {
    const { number } = lane;
    const { own } = this.#known[number] as Known;
    const kept = cutTo(this.of(lane), to);
    const isElsewhere = this.#lanes.some(
      (other) =>
        other.number !== number && this.of(other).some((each) => each.origin === own && each.to > to),
    );
    this.#known[number] = isElsewhere
      ? this.#fresh(kept)
      : { stretches: kept.filter(({ origin }) => origin !== own), own };
  }

  /** A lane, which held nothing, holds the first cells of another one. */
  share(from: HoldingLane, { number }: HoldingLane, cells: number): void {
    this.#known[number] = this.#fresh(cutTo(this.of(from), cells));
  }

  /** Cells that all lanes but one hold, each counted once. */
  countBeside(number: number): number {
    const others = this.#lanes.filter((lane) => lane.number !== number);
    return countCells(others.map((lane) => ({ cells: lane.held, stretches: this.of(lane) })));
  }

  /** The origin of a lane's first cell. */
  #first({ number, held }: HoldingLane): number | undefined {
    const { stretches, own } = this.#known[number] as Known;
    return held === 0 ? undefined : (stretches[0]?.origin ?? own);
  }

  #fresh(stretches: Stretches): Known {
    return { stretches, own: ++this.#last };
  }
}
