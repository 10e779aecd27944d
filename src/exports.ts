/**
 * Everything that the package exports beside `Troupe`, by the file that declares it.
 */
export type { ActorOptions } from './actor-options.js';
export type { Alert } from './actors/broker/alerts.js';
export type { HeldLease, Lease, LeaseKind } from './actors/broker/leases.js';
export type { KindReport, MemoryReport, PoolReport } from './actors/broker/memory-report.js';
export type { Level } from './actors/broker/pools.js';
export type { QueueReason, TurnClass } from './actors/broker/protocol.js';
export type { PageMove, Shape } from './actors/engine/protocol.js';
export type { Sampling } from './actors/engine/sampling.js';
export type { CheckpointReport, LaneReport } from './actors/engine/status.js';
export type { FromDisk, OnReclaim, Outcome, Receipt, RunReceipt } from './actors/mind/protocol.js';
export type {
  GeneMove,
  GeneStats,
  GenesMissed,
  NamedGene,
  NamedGeneInfo,
} from './actors/residency/protocol.js';
export * from './errors.js';
export type { Genes, LoadGeneOptions } from './genes.js';
export type { MemoryOptions } from './memory-options.js';
export type { Mind } from './mind.js';
export type { MindOptions } from './mind-options.js';
export { type TurnReply, turnOf } from './minds.js';
export type { GeneOptions, PeekOptions, Progress, TroupeOptions, TurnOptions } from './options.js';
export type { PageInfo, PageOptions, Pages } from './paging.js';
export type { SpillOptions } from './recall.js';
export type { RelaunchOptions } from './relaunch.js';
export type { TroupeReport } from './report.js';
export {
  type AskOptions,
  type Behaviour,
  type Context,
  type Definition,
  type Reply,
  refuse,
  type TellOptions,
  type WaitOptions,
} from './runtime/actor.js';
export type { ActorId } from './runtime/address.js';
export type { ActorReport, SystemReport, ThreadReport } from './runtime/inspect.js';
export { Band, type Message, type Notice } from './runtime/message.js';
export type { Probe } from './runtime/probes.js';
export type { Strategy } from './runtime/strategy.js';
export type { Backoff, Intensity, RestartPolicy } from './runtime/supervision.js';
export type { PeekReport } from './runtime/thread-actor.js';
export type { TracedEvent } from './runtime/trace-protocol.js';
export type { Why } from './runtime/why.js';
export type { SpilledPage, SpilledPages } from './spilled.js';
export type { ChildOptions, ChildSupervisorOptions, SupervisorOptions } from './supervisor-options.js';
export type { Trace, TraceOptions } from './trace.js';
export type { Piece, Turn, TurnResult } from './turn.js';
export { type Actor, defineActor, lookup, type Supervisor, startChild } from './user-actor.js';
