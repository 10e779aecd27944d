/**
 * One turn as its mind keeps it, from the call to the receipt.
 */

import type { SamplerOptions } from '../../native/addon.js';
import type { Reply } from '../../runtime/actor.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { QueueReason } from '../broker/protocol.js';
import { PieceWindow } from '../engine/window.js';
import type { MindArgs, Outcome, Receipt, RunReceipt, TurnAnswer, TurnRequest } from './protocol.js';
import type { Message } from './rendering.js';

export type Stage = 'room' | 'queued' | 'running' | 'ended';

/** What a turn wants to run. */
export interface Prepared {
  readonly user: Message;
  readonly tokens: Int32Array;
  readonly maxTokens: number;
  readonly turnsDropped: number;
}

export interface Turn {
  readonly request: TurnRequest;
  readonly answer: Reply;
  readonly sampling: SamplerOptions;
  readonly calledAt: number;
  readonly window: PieceWindow;
  readonly waits: Partial<Record<QueueReason | 'room', number>>;
  readonly runs: RunReceipt[];
  stage: Stage;
  /** The mind's number for the request to the broker. */
  ticket: number;
  grant: number;
  lane: number;
  prepared: Prepared | undefined;
  /** The reply so far. */
  text: string;
  /** Pieces of the run taken from the engine and not acknowledged yet. */
  unacknowledged: number;
  firstPieceAt: number | undefined;
  wait:
    | { readonly reason: QueueReason | 'room'; readonly since: number; readonly end: () => void }
    | undefined;
  /** Takes back the timers. */
  readonly timers: (() => void)[];
}

export function openTurn(request: TurnRequest, answer: Reply, sampling: SamplerOptions, now: number): Turn {
  return {
    request,
    answer,
    sampling,
    calledAt: now,
    window: new PieceWindow(),
    waits: {},
    runs: [],
    stage: 'room',
    ticket: 0,
    grant: 0,
    lane: -1,
    prepared: undefined,
    text: '',
    unacknowledged: 0,
    firstPieceAt: undefined,
    wait: undefined,
    timers: [],
  };
}

/** Closes the wait under way, if any, and adds its length to the receipt's waits. */
export function endWait(turn: Turn, now: number): void {
  const { wait } = turn;
  if (wait === undefined) return;
  turn.waits[wait.reason] = (turn.waits[wait.reason] ?? 0) + now - wait.since;
  wait.end();
  turn.wait = undefined;
}

export function answerOf(
  turn: Turn,
  mind: MindArgs,
  outcome: Outcome,
  rest: string,
  error: ErrorEnvelope | undefined,
  now: number,
): TurnAnswer {
  const receipt: Receipt = {
    mind: mind.name,
    room: turn.request.room,
    turn: turn.request.turn,
    model: mind.modelName,
    phenotype: { genes: [], scales: [] },
    runs: turn.runs,
    waits: turn.waits,
    outcome,
    seed: turn.sampling.seed,
    promptTokens: turn.prepared?.tokens.length ?? 0,
    maxTokens: turn.prepared?.maxTokens ?? 0,
    turnsDropped: turn.prepared?.turnsDropped ?? 0,
    firstPieceMs: turn.firstPieceAt === undefined ? undefined : turn.firstPieceAt - turn.calledAt,
    totalMs: now - turn.calledAt,
  };
  return { outcome, pieces: turn.window.sent, rest, receipt, error };
}
