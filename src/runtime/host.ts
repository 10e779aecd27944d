/**
 * The entry of a worker thread: builds its `Thread`, answers the control plane, and leaves by protocol.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Endpoint, expose } from 'comlink';
import { Board, type BoardMemory } from './board.js';
import { realClock } from './clock.js';
import { PROBES_A_SECOND } from './defaults.js';
import { directory } from './directory.js';
import { asTroupeError } from './errors.js';
import type { Threads } from './placement.js';
import { openPort } from './port.js';
import { Allowance, type Probe } from './probes.js';
import { store } from './store.js';
import { Thread } from './thread.js';
import { startThreadActor } from './thread-actor.js';
import { CONTROL_THREAD } from './well-known.js';

export interface HostData {
  readonly number: number;
  readonly name: string;
  readonly epochMs: number;
  readonly life: number;
  readonly board: BoardMemory;
  readonly control: MessagePort;
  readonly directory: Threads;
}

export interface PeerData {
  readonly number: number;
  readonly name: string;
  readonly board: BoardMemory;
}

/** What the main thread may ask of a worker, over Comlink. */
export interface HostControl {
  connect(peer: PeerData, port: MessagePort): void;
  disconnect(peer: number, name: string, reason: string): void;
  stop(reason: string): Promise<void>;
}

export type HostEvent = { readonly type: 'ready' } | { readonly type: 'probe'; readonly probe: Probe };

async function main(data: HostData): Promise<void> {
  const report = (event: HostEvent): void => parentPort?.postMessage(event);
  const thread = new Thread(
    data.number,
    data.name,
    realClock(data.epochMs),
    new Board(data.board),
    data.life,
  );
  reportProbes(thread, (probe) => report({ type: 'probe', probe }));
  // Without its own actors a thread cannot go on: names and states would be lost without a word.
  const vital = new Set([await startThreadActor(thread, data.life)]);
  if (data.number === CONTROL_THREAD) {
    vital.add(await thread.spawn(directory, { name: 'directory', args: data.directory }));
    vital.add(await thread.spawn(store, { name: 'store', args: undefined }));
  }
  thread.onCrash = (cell, error) => {
    if (!vital.has(cell.id)) return;
    setImmediate(() => {
      throw error;
    });
  };
  const control: HostControl = {
    connect: ({ number, name, board }, port) =>
      thread.lines.connect({ number, name, board: new Board(board) }, (receive) => openPort(port, receive)),
    disconnect: (peer, name, reason) => thread.loseThread(peer, name, reason),
    stop: async (reason) => {
      await thread.stopAll(reason);
      // The answer goes out first; then nothing is left that keeps this thread.
      setImmediate(() => {
        thread.lines.closeAll();
        data.control.close();
      });
    },
  };
  expose(control, data.control as unknown as Endpoint);
  report({ type: 'ready' });
}

/** Probes go to the main thread, so many a second; those beyond are counted in one more. */
function reportProbes(thread: Thread, report: (probe: Probe) => void): void {
  const allowance = new Allowance(PROBES_A_SECOND);
  thread.probes.on((probe) => {
    const { allowed, refusedBefore } = allowance.take(thread.now);
    if (refusedBefore > 0) report({ name: 'probes.unsent', thread: thread.name, count: refusedBefore });
    if (allowed) report(probe);
  });
  // An actor that forgets a promise must not take the others of its thread with it.
  process.on('unhandledRejection', (cause) => {
    const error = asTroupeError(cause);
    report({ name: 'thread.stray_rejection', thread: thread.name, error: `${error.code}: ${error.message}` });
  });
}

await main(workerData as HostData);
