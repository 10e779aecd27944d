/**
 * The entry of a worker thread: builds its `Thread`, answers the control plane, and leaves by protocol.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Endpoint, expose } from 'comlink';
import { Board, type BoardMemory } from './board.js';
import { realClock } from './clock.js';
import { directory } from './directory.js';
import { openPort } from './port.js';
import type { Probe } from './probes.js';
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
  /** Numbers of the threads that actors are placed on. */
  readonly hosts: readonly number[];
}

/** What the main thread may ask of a worker, over Comlink. */
export interface HostControl {
  connect(peer: number, port: MessagePort): void;
  disconnect(peer: number, name: string, reason: string): void;
  forwardProbes(): void;
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
  await startThreadActor(thread, data.life);
  if (data.number === CONTROL_THREAD) {
    const options = { module: '', thread: CONTROL_THREAD };
    await thread.spawn(directory, { ...options, name: 'directory', args: { hosts: data.hosts } });
    await thread.spawn(store, { ...options, name: 'store', args: undefined });
  }
  const peers: number[] = [];
  const control: HostControl = {
    connect: (peer, port) => {
      peers.push(peer);
      thread.connect(peer, openPort(thread, peer, port));
    },
    disconnect: (peer, name, reason) => thread.disconnect(peer, name, reason),
    forwardProbes: () => void thread.probes.on((probe) => report({ type: 'probe', probe })),
    stop: async (reason) => {
      await thread.stopAll(reason);
      // The answer goes out first; then nothing is left that keeps this thread.
      setImmediate(() => {
        for (const peer of peers) thread.disconnect(peer, '', reason);
        data.control.close();
      });
    },
  };
  expose(control, data.control as unknown as Endpoint);
  report({ type: 'ready' });
}

await main(workerData as HostData);
