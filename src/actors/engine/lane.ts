/**
 * A lane as the engine keeps it: whose tokens its KV holds, and the run on it, if any.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Activity, Run } from './protocol.js';
import { createStream, type ReplyStream } from './stream.js';
import { PieceWindow } from './window.js';

export interface Lane {
  readonly number: number;
  activity: Activity | undefined;
  /** Tokens of the activity; the first `held` of them are in the KV. */
  tokens: number[];
  held: number;
  /** Under which genes they were computed. */
  phenotype: string;
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
  /** Prompt tokens that the KV held already. */
  readonly reused: number;
  processed: number;
  produced: number;
  readonly arrivedAt: number;
  startedAt: number;
  firstTokenAt: number;
}

export const emptyLane = (number: number): Lane => ({
  number,
  activity: undefined,
  tokens: [],
  held: 0,
  phenotype: '',
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
  lane.activity = run.activity;
  lane.tokens = Array.from(run.tokens);
  lane.held = reused;
  lane.phenotype = phenotypeOf(run);
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
    reused,
    processed: 0,
    produced: 0,
    arrivedAt: now,
    startedAt: 0,
    firstTokenAt: 0,
  };
  lane.run = begun;
  return begun;
}

/** Equal for equal genes at equal scales, in whatever order: what the KV depends on beside the tokens. */
export const phenotypeOf = ({ genes }: Run): string =>
  genes
    .map(({ gene, scale }) => `${gene} ${Math.fround(scale)}`)
    .sort()
    .join();

/** How many leading tokens two sequences share. */
export function commonPrefix(held: readonly number[], length: number, wanted: Int32Array): number {
  const most = Math.min(length, wanted.length);
  let i = 0;
  while (i < most && held[i] === wanted[i]) i++;
  return i;
}

/** How many tokens of a reply lie wholly within its first `bytes`. */
export function tokensWithin(byteEnds: readonly number[], bytes: number): number {
  let count = byteEnds.length;
  while (count > 0 && (byteEnds[count - 1] as number) > bytes) count--;
  return count;
}
