/**
 * What a step costs by its rows, learned from the steps before.
 *
 * Two rows may cost three times one, and sixteen twice eight, so small counts are learned one by one. Bigger counts
 * share buckets, four to each doubling, and what lies between two learned counts is a straight line. The newest few
 * steps of a bucket count, by their median: one step that a noisy neighbour slowed changes nothing.
 */

/** Up to here every row count has a bucket of its own; the steps of a decode alone are mostly this small. */
const EXACT_ROWS = 16;
/** Buckets for each doubling of the rows above: their width is then at most a quarter of the count. */
const PER_OCTAVE = 4;
const PER_OCTAVE_BITS = 2;
/** Largest row count told apart; llama.cpp's own bound on a batch here is far below. */
const MAX_ROWS = 65_536;
/** Steps kept a bucket: two slow ones in a row are still outvoted, and three show that the machine has changed. */
const SAMPLES = 5;
/** A bucket not seen for this many steps is forgotten, so that one noisy spell cannot forbid a count for ever. */
const FORGET_AFTER_STEPS = 4_096;
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

interface Bucket {
  /** Row count that `ms` is for; samples of other counts in the bucket are scaled to it. */
  readonly rows: number;
  readonly samples: Float64Array;
  count: number;
  /** Median of the samples. */
  ms: number;
  seen: number;
}

export function createStepCost(): StepCost {
  const buckets: (Bucket | undefined)[] = [];
  let steps = 0;

  const known = (index: number): Bucket | undefined => {
    const bucket = buckets[index];
    return bucket !== undefined && steps - bucket.seen <= FORGET_AFTER_STEPS ? bucket : undefined;
  };

  return {
    observe(rows, ms) {
      if (!(rows >= 1) || !(ms >= 0) || !Number.isFinite(ms)) return;
      steps++;
      const index = bucketOf(rows);
      let bucket = known(index);
      if (bucket === undefined) {
        bucket = { rows: centreOf(index), samples: new Float64Array(SAMPLES), count: 0, ms: 0, seen: 0 };
        buckets[index] = bucket;
      }
      bucket.samples[bucket.count % SAMPLES] = (ms * bucket.rows) / Math.min(rows, MAX_ROWS);
      bucket.count++;
      bucket.ms = lowerMedian(bucket.samples.subarray(0, Math.min(bucket.count, SAMPLES)));
      bucket.seen = steps;
    },

    predict(rows) {
      if (!(rows >= 1)) return 0;
      const index = bucketOf(rows);
      let below: Bucket | undefined;
      let above: Bucket | undefined;
      for (let i = index; i >= 0 && below === undefined; i--) {
        const bucket = known(i);
        if (bucket !== undefined && bucket.rows <= rows) below = bucket;
      }
      if (below?.rows === rows) return below.ms;
      for (let i = index; i < buckets.length && above === undefined; i++) {
        const bucket = known(i);
        if (bucket !== undefined && bucket.rows > rows) above = bucket;
      }
      if (above === undefined && below === undefined) return FIRST_GUESS_MS + FIRST_GUESS_ROW_MS * rows;
      // Above all that is known: no row is taken to be cheaper than those known. Below it: none dearer.
      if (above === undefined) return ((below as Bucket).ms * rows) / (below as Bucket).rows;
      const from = below ?? { rows: 0, ms: 0 };
      return from.ms + ((above.ms - from.ms) * (rows - from.rows)) / (above.rows - from.rows);
    },

    age(rows) {
      const bucket = known(bucketOf(rows));
      return bucket === undefined ? Number.POSITIVE_INFINITY : steps - bucket.seen;
    },
  };
}

const EXACT_OCTAVE = Math.log2(EXACT_ROWS);

function bucketOf(rows: number): number {
  const n = Math.min(Math.floor(rows), MAX_ROWS);
  if (n <= EXACT_ROWS) return n;
  const octave = 31 - Math.clz32(n);
  const quarter = (n >> (octave - PER_OCTAVE_BITS)) & (PER_OCTAVE - 1);
  return EXACT_ROWS + 1 + (octave - EXACT_OCTAVE) * PER_OCTAVE + quarter;
}

/** The row count in the middle of a bucket. */
function centreOf(index: number): number {
  if (index <= EXACT_ROWS) return index;
  const place = index - EXACT_ROWS - 1;
  const octave = EXACT_OCTAVE + Math.floor(place / PER_OCTAVE);
  return 2 ** octave * (1 + ((place % PER_OCTAVE) + 0.5) / PER_OCTAVE);
}

/** The middle value; of two middle ones the lower, for what disturbs a step only ever slows it. */
function lowerMedian(samples: Float64Array): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[(sorted.length - 1) >> 1] as number;
}
