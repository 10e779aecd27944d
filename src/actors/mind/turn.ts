/**
 * One turn as its mind keeps it, from the call to the receipt.
 */

import { OtherGenes, type TroupeError } from '../../errors.js';
import type { SamplerOptions } from '../../native/addon.js';
import type { Context, Reply } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import { type Activity, activityOf } from '../activity.js';
import type { DiskRead, QueueReason } from '../broker/protocol.js';
import type { ReplySoFar, RunDone } from '../engine/protocol.js';
import type { GenesMissed, PinnedGene, PinnedPhenotype } from '../residency/protocol.js';
import type { HowFar, MindArgs, Outcome, Receipt, RunReceipt, TurnAnswer, TurnRequest } from './protocol.js';
import type { Message } from './rendering.js';

/** `lost`: its run has no last word, and the reader is asked; `halted`: a run is over, and the turn goes on or ends. */
export type Stage = 'room' | 'queued' | 'running' | 'lost' | 'halted' | 'ended';
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
  /** So many of the oldest turns it has no room for; they leave when it has run. */
  readonly turnsDropped: number;
}

/** How a turn ends. */
export interface Ending {
  readonly outcome: Outcome;
  readonly error?: ErrorEnvelope | undefined;
}

/** What all runs of a turn so far have made of its reply. */
export interface Said {
  readonly text: string;
  /** Exactly the tokens of the text, where they are known. */
  readonly reply: Int32Array | undefined;
  /** What the next run goes on from. */
  readonly soFar: ReplySoFar | undefined;
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
  /** When it first asked for a lane. */
  askedAt: number | undefined;
  prepared: Prepared | undefined;
  /** What it runs, once it is granted. */
  phenotype: readonly PinnedGene[];
  missed: GenesMissed;
  /** What was read from disk for its run, if anything was to be. */
  read: DiskRead | undefined;
  /** When its run was sent to the engine. */
  sentAt: number;
  firstPieceAt: number | undefined;
  /** As of its last run that is over. */
  said: Said | undefined;
  /** Engines that were lost under it. */
  losses: number;
  /** How it ends when its run is over, whatever that says. */
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
    askedAt: undefined,
    prepared: undefined,
    phenotype: [],
    missed: { genes: 0, bytes: 0 },
    read: undefined,
    sentAt: 0,
    firstPieceAt: undefined,
    said: undefined,
    losses: 0,
    ending: undefined,
    wait: undefined,
    timers: [],
  };
}

/** Whose KV its lane holds. */
export const activityOfTurn = (mind: Context, turn: Turn): Activity =>
  activityOf(mind.self, turn.request.room);

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

/** How long it has waited for this reason, all in all. */
export function waitedMs({ waits, wait }: Turn, reason: WaitReason, now: number): number {
  return (waits[reason] ?? 0) + (wait?.reason === reason ? now - wait.since : 0);
}

/** Closes the wait under way, if any, and adds its length to the receipt's waits. */
export function endWait(turn: Turn, now: number): void {
  const { wait } = turn;
  if (wait === undefined) return;
  turn.waits[wait.reason] = (turn.waits[wait.reason] ?? 0) + now - wait.since;
  wait.end();
  turn.wait = undefined;
}

/** Why a reply that has begun cannot go on: its names mean other genes by now. */
export function changedGenes({ phenotype, said }: Turn, { genes }: PinnedPhenotype): TroupeError | undefined {
  const isSame = genes.every(
    ({ gene, scale }, i) => gene === phenotype[i]?.gene && scale === phenotype[i]?.scale,
  );
  if (said?.soFar === undefined || said.soFar.tokens.length === 0 || isSame) return undefined;
  return new OtherGenes({ genes: genes.map(({ name }) => name).join(', ') });
}

/** What the next run runs; the genes that had to be moved for it count with those of the runs before it. */
export function takeGenes(turn: Turn, { genes, missed }: PinnedPhenotype): void {
  turn.phenotype = genes;
  turn.missed = { genes: turn.missed.genes + missed.genes, bytes: turn.missed.bytes + missed.bytes };
}

/** The turn's run is over, and this is what it did. */
export function addRun(turn: Turn, done: RunDone): void {
  const { processed, reused, shared, produced, pagedIn, times, outcome, text } = done;
  if (done.begun) turn.said = done;
  const fromDisk = fromDiskOf(turn.read);
  const counts = { processed, reused, shared, produced, pagedIn, fromDisk };
  turn.runs.push({ lane: turn.lane, ...counts, ...times, outcome });
  if (text !== '') turn.firstPieceAt ??= turn.sentAt + times.waitedMs + times.promptMs;
}

function fromDiskOf(read: DiskRead | undefined): RunReceipt['fromDisk'] {
  const { bytes, ms, error } = read ?? { bytes: 0, ms: 0 };
  return { bytes, ms, failed: error && { code: error.code, message: error.message } };
}

/** The turn's run had no last word; a reader has read so much of the reply. */
export function addLostRun(turn: Turn, { text, tokens }: HowFar): void {
  const produced = tokens.length - (turn.said?.soFar?.tokens.length ?? 0);
  const nothing = {
    processed: 0,
    reused: 0,
    shared: 0,
    pagedIn: { bytes: 0, ms: 0 },
    fromDisk: fromDiskOf(turn.read),
  };
  const times = { waitedMs: 0, promptMs: 0, decodeMs: 0 };
  turn.runs.push({ lane: turn.lane, ...nothing, produced, ...times, outcome: 'lost' });
  const soFar = { tokens: Int32Array.from(tokens), carried: text.length, carriedTokens: tokens.length };
  turn.said = { text, reply: undefined, soFar };
}

/** How many of the oldest turns leave its room: none for a turn that never began to run. */
export const droppedBy = ({ prepared, said }: Turn): number =>
  said === undefined ? 0 : (prepared?.turnsDropped ?? 0);

/** What is known of a reply; of one whose run is not over, nothing. */
export const saidOf = ({ said, stage }: Turn): Said | undefined =>
  stage === 'running' || stage === 'lost' ? undefined : said;

export function answerOf(turn: Turn, mind: MindArgs, ending: Ending, now: number): TurnAnswer {
  const { outcome, error } = ending;
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
    turnsDropped: droppedBy(turn),
    firstPieceMs: turn.firstPieceAt === undefined ? undefined : turn.firstPieceAt - turn.request.calledAt,
    totalMs: now - turn.request.calledAt,
  };
  return { outcome, text: saidOf(turn)?.text, receipt, error };
}
