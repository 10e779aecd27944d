/**
 * The entry of a worker thread: builds its `Thread`, answers the control plane, and leaves by protocol.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Endpoint, expose } from 'comlink';
import type { Definition } from './actor.js';
import { Attribution } from './attribution.js';
import { Board } from './board.js';
import { realClock } from './clock.js';
import { PROBES_A_SECOND } from './defaults.js';
import type { HostData, PeerData } from './platform.js';
import { openPort } from './port.js';
import { Allowance, type Probe } from './probes.js';
import { startResidents } from './residents.js';
import { catchStrays } from './strays.js';
import { Thread } from './thread.js';
import { importDefinition } from './thread-actor.js';

export interface WorkerData extends HostData {
  readonly control: MessagePort;
}

/** What the main thread may ask of a worker, over Comlink. */
export interface HostControl {
  connect(peer: PeerData, port: MessagePort): void;
  disconnect(peer: number, name: string, reason: string): void;
  ping(): void;
  stop(reason: string): Promise<void>;
}

export type HostEvent = { readonly type: 'ready' } | { readonly type: 'probe'; readonly probe: Probe };

async function main(data: WorkerData): Promise<void> {
  const report = (event: HostEvent): void => parentPort?.postMessage(event);
  const thread = new Thread(
    data.number,
    data.name,
    realClock(data.epochMs),
    new Board(data.board),
    data.life,
  );
  const attribution = new Attribution();
  thread.attribution = attribution;
  catchStrays(thread.name, attribution, (probe) => thread.probes.emit(probe));
  reportProbes(thread, (probe) => report({ type: 'probe', probe }));
  const load = (module: string): Promise<Definition> =>
    attribution.run(undefined, () => importDefinition(module));
  await startResidents(thread, data, load, (error) => {
    const die = (): never => {
      throw error;
    };
    attribution.run(undefined, () => setImmediate(die));
  });
  const control: HostControl = {
    connect: ({ number, name, board }, port) =>
      thread.lines.connect({ number, name, board: new Board(board) }, (receive) => openPort(port, receive)),
    disconnect: (peer, name, reason) => thread.loseThread(peer, name, reason),
    ping: () => {},
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
}

await main(workerData as WorkerData);
