/**
 * What a system stands on: threads, lines between them, and time. `worker-threads.ts` is the real one; the test kit has
 * one that runs in a single thread, in virtual time.
 */
import type { Board, BoardMemory } from './board.js';
import type { Clock } from './clock.js';
import type { Threads } from './placement.js';
import type { Probe } from './probes.js';
import type { Loader } from './thread-actor.js';
import type { Batch, WirePort } from './wire.js';

/** What a thread is started with. */
export interface HostData {
  readonly number: number;
  readonly name: string;
  readonly epochMs: number;
  readonly life: number;
  readonly board: BoardMemory;
  readonly directory: Threads;
}

export interface PeerData {
  readonly number: number;
  readonly name: string;
  readonly board: BoardMemory;
}

export interface HostEvents {
  onProbe(probe: Probe): void;
  /** The thread was up and has ended, and nobody asked it to. */
  onLost(reason: string): void;
}

/** A thread as the main thread holds it. Calls reject with `ThreadLost` or `AskTimeout`, and never hang. */
export interface Host {
  /** Settles when the thread answers. */
  readonly ready: Promise<void>;
  connect(peer: PeerData, end: LineEnd): Promise<void>;
  disconnect(peer: number, name: string, reason: string): Promise<void>;
  /** Settles when the thread's loop has turned. A platform whose threads cannot freeze one by one has none. */
  ping?(): Promise<void>;
  /** Leaves by protocol; by force when the thread is not up, or does not leave in time. */
  stop(reason: string): Promise<void>;
  /** Ends the thread at once, as a crash would. */
  terminate(): Promise<void>;
}

/** One end of a line, on its way to the thread that opens it. What it is, only its platform knows. */
export type LineEnd = object;

export interface Platform {
  /** When the system's time began, ms since 1970. */
  readonly epochMs: number;
  /** The clock of the main thread. */
  readonly clock: Clock;
  /** Finds the definitions of actors for the main thread. */
  readonly load: Loader;
  /** `former`: of an earlier life of the thread, which is gone for good. */
  createBoard(former?: Board): BoardMemory;
  startHost(data: HostData, events: HostEvents): Host;
  layLine(): readonly [LineEnd, LineEnd];
  /** Opens an end for the main thread. */
  open(end: LineEnd, receive: (batch: Batch) => void): WirePort;
}
