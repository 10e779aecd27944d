/**
 * A lane as the engine keeps it: whose tokens its KV holds, and the run on it, if any.
 */
import type { AppliedGene } from '../../native/addon.js';
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { Source } from './prefix.js';
import type { PageMove, Run } from './protocol.js';
import { createStream, type ReplyStream } from './stream.js';
import { PieceWindow } from './window.js';

export interface Lane {
  readonly number: number;
  /** That it was last given out for; 0: none, since it was emptied. */
  grant: number;
  activity: Activity | undefined;
  /** Tokens of the activity; the first `held` of them are in the KV. */
  tokens: number[];
  held: number;
  /** Tokens that it held at its newest checkpoint; 0: it has none. */
  kept: number;
  /** Under which genes they were computed, but for so many of the first, which ran none. */
  genes: readonly AppliedGene[];
  /** Those genes as a text that is equal for equal genes at equal scales, in whatever order. */
  phenotype: string;
  base: number;
  run: RunOnLane | undefined;
}

export interface RunOnLane {
  readonly grant: number;
  readonly mind: ActorId;
  readonly order: number;
  readonly request: Run;
  /** Where the reply begins in the lane's tokens. */
  readonly replyAt: number;
  readonly stream: ReplyStream;
  readonly window: PieceWindow;
  /** The reply so far. */
  text: string;
  /** Bytes of the reply after each token of it. */
  readonly byteEnds: number[];
  /** How many of the reply's tokens pieces have carried. */
  carried: number;
  /** Prompt tokens that the KV held already, and how many of these are another lane's. */
  reused: number;
  shared: number;
  /** What was brought in from a page for it. */
  pagedIn: PageMove;
  /** The run whose prompt this one waits for. */
  leader: Source | undefined;
  processed: number;
  /** Tokens of the whole reply, the ending one too; so many of them are of earlier runs. */
  produced: number;
  readonly before: number;
  readonly arrivedAt: number;
  startedAt: number;
  firstTokenAt: number;
}

export const emptyLane = (number: number): Lane => ({
  number,
  grant: 0,
  activity: undefined,
  tokens: [],
  held: 0,
  kept: 0,
  genes: [],
  phenotype: '',
  base: 0,
  run: undefined,
});

export function beginRun(
  lane: Lane,
  run: Run,
  mind: ActorId,
  order: number,
  reused: number,
  now: number,
): RunOnLane {
  lane.grant = run.grant;
  lane.activity = run.activity;
  Object.assign(lane, beginningOf(run));
  lane.held = reused;
  const before = run.soFar?.tokens.length ?? 0;
  const begun: RunOnLane = {
    grant: run.grant,
    mind,
    order,
    request: run,
    replyAt: run.tokens.length,
    stream: createStream(run.stops),
    window: new PieceWindow(),
    text: '',
    byteEnds: [],
    carried: run.soFar?.carriedTokens ?? 0,
    reused,
    shared: 0,
    pagedIn: { bytes: 0, ms: 0 },
    leader: undefined,
    processed: 0,
    produced: before,
    before,
    arrivedAt: now,
    startedAt: 0,
    firstTokenAt: 0,
  };
  lane.run = begun;
  return begun;
}

/** What the KV of a lane depends on. */
export type LaneBeginning = Pick<Lane, 'tokens' | 'genes' | 'phenotype' | 'base'>;

export const beginningOf = ({ tokens, soFar, genes, base }: Run): LaneBeginning => ({
  tokens: [...tokens, ...(soFar?.tokens ?? [])],
  genes,
  phenotype: phenotypeOf(genes),
  base: genes.length === 0 ? Number.POSITIVE_INFINITY : base,
});

/** Whether what the lane holds was computed under a gene. */
export const ranGene = ({ phenotype, held, base }: Lane, gene: number): boolean =>
  held > base && phenotype.split(',').some((applied) => applied.startsWith(`${gene} `));

export const phenotypeOf = (genes: readonly AppliedGene[]): string =>
  genes
    .map(({ gene, scale }) => `${gene} ${Math.fround(scale)}`)
    .sort()
    .join();

/** How many tokens of a reply lie wholly within its first `bytes`. */
export function tokensWithin(byteEnds: readonly number[], bytes: number): number {
  let count = byteEnds.length;
  while (count > 0 && (byteEnds[count - 1] as number) > bytes) count--;
  return count;
}
