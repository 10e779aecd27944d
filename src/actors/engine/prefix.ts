/**
 * Which lane holds the beginning of a run already, or soon will, so that its cells can be shared instead of being
 * processed again. Pure.
 *
 * What a cell holds depends on all tokens up to it and on the genes that each of these ran. So two lanes are alike as far
 * as tokens and genes are equal, and beyond the part that runs no genes only if all else is equal too.
 */
import type { Lane, RunOnLane } from './lane.js';

/** Fewer tokens are not worth another lane's cells: all prompts of one template begin alike by a few. */
export const SHARE_FROM = 32;

/** What a beginning depends on. */
export interface Beginning {
  readonly tokens: ArrayLike<number>;
  /** So many of the first run no genes. */
  readonly base: number;
  /** What the others run. */
  readonly phenotype: string;
}

/** How many leading cells of two beginnings are equal. */
export function alike(a: Beginning, b: Beginning): number {
  const same = a.phenotype === b.phenotype && a.base === b.base;
  const bound = same ? Number.POSITIVE_INFINITY : Math.min(a.base, b.base);
  const most = Math.min(a.tokens.length, b.tokens.length, bound);
  let i = 0;
  while (i < most && a.tokens[i] === b.tokens[i]) i++;
  return i;
}

/** A lane to share from, and how many tokens. */
export interface Source {
  readonly lane: Lane;
  readonly tokens: number;
  /** The run whose prompt is to be waited for; undefined: the lane holds them now. */
  readonly run: RunOnLane | undefined;
}

/** Where a lane whose run has its prompt before it gets most of that; undefined: from nobody. */
export function chooseSource(lane: Lane, lanes: readonly Lane[]): Source | undefined {
  // The last token is always processed: its logits are what the first sample is drawn from.
  const most = lane.tokens.length - 1;
  let best: Source | undefined;
  let have = lane.held;
  const offer = (source: Source): void => {
    if (source.tokens - have < SHARE_FROM) return;
    best = source;
    have = source.tokens;
  };
  const candidates = lanes
    .filter((other) => other !== lane)
    .map((other) => ({ lane: other, tokens: Math.min(alike(other, lane), most) }));
  for (const { lane: other, tokens } of candidates) {
    offer({ lane: other, tokens: Math.min(tokens, other.held), run: undefined });
  }
  for (const { lane: other, tokens } of candidates) {
    const { run } = other;
    if (run !== undefined && run.leader === undefined) {
      const coming = Math.min(tokens, run.replyAt);
      if (coming > other.held) offer({ lane: other, tokens: coming, run });
    }
  }
  return best;
}

/** Whether what a run waits for is there, or will not come. */
export const hasCome = ({ lane, run, tokens }: Source): boolean => lane.run !== run || lane.held >= tokens;
