/**
 * What a mind hears of its run when it has ended, and what it hears of one that did not begin. Pure.
 */
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { Lane, RunOnLane } from './lane.js';
import type { ReplySoFar, RunDone, RunOutcome } from './protocol.js';
import type { Refusal } from './refusal.js';
import type { FinishedReply } from './reply.js';

/** What a run leaves for the next one of its turn. */
export const soFarOf = ({ tokens }: Lane, { replyAt, text, window, carried }: RunOnLane): ReplySoFar => ({
  tokens: Int32Array.from(tokens.slice(replyAt)),
  carried: text.length - window.unsent,
  carriedTokens: carried,
});

/** `now` in ms of `performance.now()`. */
export function doneOf(
  run: RunOnLane,
  reply: FinishedReply,
  soFar: ReplySoFar | undefined,
  outcome: RunOutcome,
  error: ErrorEnvelope | undefined,
  now: number,
): RunDone {
  const startedAt = run.startedAt || now;
  const firstTokenAt = run.firstTokenAt || now;
  const { grant, processed, reused, shared, pagedIn } = run;
  return {
    type: 'done',
    grant,
    begun: true,
    outcome,
    text: run.text + reply.text,
    reply: reply.tokens,
    soFar,
    produced: run.produced - run.before,
    processed,
    reused,
    shared,
    pagedIn,
    times: {
      waitedMs: startedAt - run.arrivedAt,
      promptMs: firstTokenAt - startedAt,
      decodeMs: now - firstTokenAt,
    },
    error,
  };
}

export const notBegun = (grant: number, { outcome, error }: Refusal): RunDone => ({
  type: 'done',
  grant,
  begun: false,
  outcome,
  text: '',
  reply: new Int32Array(0),
  soFar: undefined,
  produced: 0,
  processed: 0,
  reused: 0,
  shared: 0,
  pagedIn: { bytes: 0, ms: 0 },
  times: { waitedMs: 0, promptMs: 0, decodeMs: 0 },
  error,
});
