/**
 * One turn as its mind keeps it, from the call to the receipt.
 */

import type { SamplerOptions } from '../../native/addon.js';
import type { Context, Reply } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { DiskRead, QueueReason } from '../broker/protocol.js';
import type { Activity, RunDone } from '../engine/protocol.js';
import type { GenesMissed, PinnedGene } from '../residency/protocol.js';
import type { MindArgs, Outcome, Receipt, RunReceipt, TurnAnswer, TurnRequest } from './protocol.js';
import type { Message } from './rendering.js';

export type Stage = 'room' | 'queued' | 'running' | 'ended';
/** What a turn waits for: the turn before it in its room, or what the broker says. */
export type WaitReason = QueueReason | 'room';

/** What a turn wants to run. */
export interface Prepared {
  readonly user: Message;
  readonly tokens: Int32Array;
  /** So many of the first tokens run no genes. */
  readonly base: number;
  /** Lengths of beginnings of the tokens at which a later turn may part from this one, ascending. */
  readonly partings: readonly number[];
  readonly maxTokens: number;
  readonly turnsDropped: number;
}

/** How a turn ends. */
export interface Ending {
  readonly outcome: Outcome;
  /** The whole reply, its end that no piece has carried, the pieces sent, its tokens: if the run had a last word. */
  readonly text?: string;
  readonly rest?: string;
  readonly pieces?: number;
  readonly reply?: Int32Array;
  readonly error?: ErrorEnvelope | undefined;
}

export interface Turn {
  readonly request: TurnRequest;
  readonly answer: Reply;
  readonly sampling: SamplerOptions;
  readonly waits: Partial<Record<WaitReason, number>>;
  readonly runs: RunReceipt[];
  stage: Stage;
  /** The mind's number for the request to the broker. */
  ticket: number;
  grant: number;
  lane: number;
  prepared: Prepared | undefined;
  /** What it runs, once it is granted. */
  phenotype: readonly PinnedGene[];
  missed: GenesMissed;
  /** What was read from disk for its run, if anything was to be. */
  read: DiskRead | undefined;
  /** When its run was sent to the engine. */
  sentAt: number;
  firstPieceAt: number | undefined;
  /** How it ends if the engine, told to end its run, says nothing any more. */
  ending: Ending | undefined;
  wait: { readonly reason: WaitReason; readonly since: number; readonly end: () => void } | undefined;
  /** Takes back the timers. */
  readonly timers: (() => void)[];
}

export function openTurn(request: TurnRequest, answer: Reply, sampling: SamplerOptions): Turn {
  return {
    request,
    answer,
    sampling,
    waits: {},
    runs: [],
    stage: 'room',
    ticket: 0,
    grant: 0,
    lane: -1,
    prepared: undefined,
    phenotype: [],
    missed: { genes: 0, bytes: 0 },
    read: undefined,
    sentAt: 0,
    firstPieceAt: undefined,
    ending: undefined,
    wait: undefined,
    timers: [],
  };
}

/** Names the KV of a mind's room. */
export const activityOf = (mind: Context, turn: Turn): Activity => `${mind.self}/${turn.request.room}`;

/** Milliseconds until the turn's deadline. */
export const leftMs = ({ calledAt, deadlineMs }: TurnRequest, now: number): number =>
  Math.max(0, calledAt + deadlineMs - now);

/** The turn waits, on that actor; declared, and shown by a probe, once a reason. */
export function beginWait(turn: Turn, ctx: Context, reason: WaitReason, on: ActorId, mind: string): void {
  if (turn.wait?.reason === reason) return;
  const since = ctx.now;
  endWait(turn, since);
  const end = ctx.wait({ for: on, reason, deadlineMs: leftMs(turn.request, since) });
  turn.wait = { reason, since, end };
  ctx.probe({ name: 'turn.waiting', mind, room: turn.request.room, reason, since });
}

/** Closes the wait under way, if any, and adds its length to the receipt's waits. */
export function endWait(turn: Turn, now: number): void {
  const { wait } = turn;
  if (wait === undefined) return;
  turn.waits[wait.reason] = (turn.waits[wait.reason] ?? 0) + now - wait.since;
  wait.end();
  turn.wait = undefined;
}

/** The turn's run is over, and this is what it did. */
export function addRun(turn: Turn, done: RunDone): void {
  const { processed, reused, shared, produced, pagedIn, times, outcome, text } = done;
  const fromDisk = fromDiskOf(turn.read);
  const counts = { processed, reused, shared, produced, pagedIn, fromDisk };
  turn.runs.push({ lane: turn.lane, ...counts, ...times, outcome });
  if (text !== '') turn.firstPieceAt ??= turn.sentAt + times.waitedMs + times.promptMs;
}

function fromDiskOf(read: DiskRead | undefined): RunReceipt['fromDisk'] {
  const { bytes, ms, error } = read ?? { bytes: 0, ms: 0 };
  return { bytes, ms, failed: error && { code: error.code, message: error.message } };
}

export function answerOf(turn: Turn, mind: MindArgs, ending: Ending, now: number): TurnAnswer {
  const { outcome, rest = '', error } = ending;
  const receipt: Receipt = {
    mind: mind.name,
    room: turn.request.room,
    turn: turn.request.turn,
    model: mind.modelName,
    phenotype: {
      genes: turn.phenotype.map(({ name }) => name),
      scales: turn.phenotype.map(({ scale }) => scale),
    },
    genesMissed: turn.missed,
    runs: turn.runs,
    waits: turn.waits,
    outcome,
    seed: turn.sampling.seed,
    promptTokens: turn.prepared?.tokens.length ?? 0,
    maxTokens: turn.prepared?.maxTokens ?? 0,
    turnsDropped: turn.prepared?.turnsDropped ?? 0,
    firstPieceMs: turn.firstPieceAt === undefined ? undefined : turn.firstPieceAt - turn.request.calledAt,
    totalMs: now - turn.request.calledAt,
  };
  // Before it ran there were no pieces; a run without a last word may have sent any number.
  const pieces = ending.pieces ?? (turn.grant === 0 ? 0 : undefined);
  return { outcome, pieces, rest, receipt, error };
}
