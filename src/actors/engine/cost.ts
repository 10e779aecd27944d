/**
 * What a step costs by its rows, learned from the steps before.
 *
 * A few rows jump (two may cost three times one) and are learned one by one. From there on the cost bends slowly, so a
 * count is judged by the newest steps of about its size: a single step that a noisy neighbour slowed neither forbids
 * a count nor allows one, and a machine that changes is followed within a few steps.
 */

/** Up to here a count is judged by steps of exactly its size. */
const EXACT_ROWS = 4;
/** From there on steps of up to this many times its size, and down to one such part, count too. */
const NEIGHBOURS = 4 / 3;
/** Their time is scaled by (rows / their rows) to this power: between a step that costs the same and one by the row. */
const BEND = 0.75;
/** Buckets are one count each up to here, above four to each doubling. */
const SINGLE_ROWS = 16;
const PER_OCTAVE_BITS = 2;
const PER_OCTAVE = 2 ** PER_OCTAVE_BITS;
/** Largest row count told apart; llama.cpp's own bound on a batch here is far below. */
const MAX_ROWS = 65_536;
/** Newest steps that judge a count, by their median: slow ones are outvoted, and a changed machine shows soon. */
const JUDGES = 9;
const EXACT_JUDGES = 5;
/** Before the first step: what a small model on one thread costs, about. */
const FIRST_GUESS_MS = 4;
const FIRST_GUESS_ROW_MS = 1;

export interface StepCost {
  /** Takes the measured time of one step. */
  observe(rows: number, ms: number): void;
  /** Expected milliseconds of a step of so many rows; 0 for none. */
  predict(rows: number): number;
  /** How many steps ago a step of about so many rows was last seen; infinite if never. */
  age(rows: number): number;
}

interface Sample {
  readonly rows: number;
  readonly ms: number;
  /** Number of the step. */
  readonly step: number;
}

export function createStepCost(): StepCost {
  /** By bucket, oldest first. */
  const buckets: (Sample[] | undefined)[] = [];
  let steps = 0;

  /** Expected cost by the newest steps of about this size; undefined where there were none. */
  const judged = (rows: number): number | undefined => {
    const exact = rows <= EXACT_ROWS;
    const reach = exact ? 1 : NEIGHBOURS;
    const first = Math.max(bucketOf(rows / reach), exact ? 1 : EXACT_ROWS + 1);
    const near = buckets.slice(first, bucketOf(rows * reach) + 1).filter((samples) => samples !== undefined);
    const judges = newest(near, exact ? EXACT_JUDGES : JUDGES);
    return lowerMedian(judges.map((sample) => sample.ms * (rows / sample.rows) ** BEND));
  };

  /** The nearest count of another bucket, going by `by`, that was seen. */
  const nearest = (rows: number, by: 1 | -1): { rows: number; ms: number } => {
    for (let i = Math.min(bucketOf(rows), buckets.length) + by; i > 0 && i < buckets.length; i += by) {
      const seen = buckets[i]?.at(-1);
      if (seen !== undefined) return { rows: seen.rows, ms: judged(seen.rows) as number };
    }
    return { rows: 0, ms: 0 };
  };

  return {
    observe(rows, ms) {
      if (!(rows >= 1) || !(ms >= 0) || !Number.isFinite(ms)) return;
      const index = bucketOf(rows);
      const samples = buckets[index] ?? [];
      buckets[index] = samples;
      samples.push({ rows, ms, step: ++steps });
      if (samples.length > JUDGES) samples.shift();
    },

    predict(rows) {
      if (!(rows >= 1)) return 0;
      if (steps === 0) return FIRST_GUESS_MS + FIRST_GUESS_ROW_MS * rows;
      const known = judged(rows);
      if (known !== undefined) return known;
      const below = nearest(rows, -1);
      const above = nearest(rows, 1);
      // Above all that is known no row is taken to be cheaper than those; below it none to be dearer.
      if (above.rows === 0) return (below.ms * rows) / below.rows;
      return below.ms + ((above.ms - below.ms) * (rows - below.rows)) / (above.rows - below.rows);
    },

    age(rows) {
      const seen = buckets[bucketOf(rows)]?.at(-1);
      return seen === undefined ? Number.POSITIVE_INFINITY : steps - seen.step;
    },
  };
}

function bucketOf(rows: number): number {
  const n = Math.min(Math.floor(rows), MAX_ROWS);
  if (n <= SINGLE_ROWS) return n;
  const octave = 31 - Math.clz32(n);
  const quarter = (n >> (octave - PER_OCTAVE_BITS)) & (PER_OCTAVE - 1);
  return SINGLE_ROWS + 1 + (octave - Math.log2(SINGLE_ROWS)) * PER_OCTAVE + quarter;
}

/** The newest `count` of several lists of samples, each oldest first. */
function newest(lists: readonly (readonly Sample[])[], count: number): Sample[] {
  const left = lists.map((samples) => samples.length);
  const taken: Sample[] = [];
  while (taken.length < count) {
    let from = -1;
    let best: Sample | undefined;
    for (let i = 0; i < lists.length; i++) {
      const sample = lists[i]?.[(left[i] as number) - 1];
      if (sample !== undefined && sample.step > (best?.step ?? 0)) {
        best = sample;
        from = i;
      }
    }
    if (best === undefined) break;
    taken.push(best);
    left[from] = (left[from] as number) - 1;
  }
  return taken;
}

/** The middle value; of two middle ones the lower, for what disturbs a step only ever slows it. */
const lowerMedian = (values: number[]): number | undefined =>
  values.sort((a, b) => a - b)[(values.length - 1) >> 1];
