/**
 * A worker thread as the main thread holds it: start with a handshake, control calls with deadlines, the end.
 *
 * Comlink alone leaves a call on a dead worker pending for ever, so every call here races the thread's exit and a
 * deadline.
 */
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { type Endpoint, type Remote, transfer, wrap } from 'comlink';
import { THREAD_CONTROL_MS, THREAD_EXIT_MS, THREAD_START_MS, THREAD_STOP_MS } from './defaults.js';
import { AskTimeout, asTroupeError, ThreadLost } from './errors.js';
import type { HostControl, HostEvent, WorkerData } from './host.js';
import type { Host, HostData, HostEvents, LineEnd, PeerData } from './platform.js';

export class HostWorker implements Host {
  readonly name: string;
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #remote: Remote<HostControl>;
  /** Rejections of the calls under way. */
  readonly #calls = new Set<(error: Error) => void>();
  readonly #exited: Promise<void>;
  #exitReason: string | undefined;
  #up = false;
  #leaving = false;

  constructor(data: HostData, events: HostEvents) {
    this.name = data.name;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: WorkerData = { ...data, control: port2 };
    this.#worker = new Worker(new URL('./host.js', import.meta.url), {
      name: data.name,
      workerData,
      transferList: [port2 as Transferable],
    });
    this.#remote = wrap<HostControl>(port1 as unknown as Endpoint);
    const said = new Promise<void>((resolve) => {
      this.#worker.on('message', (event: HostEvent) => {
        if (event.type === 'probe') events.onProbe(event.probe);
        else resolve();
      });
    });
    let cause: string | undefined;
    this.#worker.on('error', (error) => {
      cause = asTroupeError(error).message;
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#onExit(cause ?? `it exited with code ${code}`, events);
        resolve();
      });
    });
    this.ready = this.#race('start', said, THREAD_START_MS).then(() => {
      this.#up = true;
    });
  }

  connect(peer: PeerData, end: LineEnd): Promise<void> {
    const port = end as MessagePort;
    const call = this.#remote.connect(peer, transfer(port, [port as never]));
    return this.#race('connect', call, THREAD_CONTROL_MS);
  }

  disconnect(peer: number, name: string, reason: string): Promise<void> {
    return this.#race('disconnect', this.#remote.disconnect(peer, name, reason), THREAD_CONTROL_MS);
  }

  ping(): Promise<void> {
    return this.#race('ping', this.#remote.ping(), THREAD_CONTROL_MS);
  }

  async stop(reason: string): Promise<void> {
    this.#leaving = true;
    if (this.#up && this.#exitReason === undefined) {
      try {
        await this.#race('stop', this.#remote.stop(reason), THREAD_STOP_MS);
        await this.#race('exit', this.#exited, THREAD_EXIT_MS);
      } catch {
        // It is ended by force.
      }
    }
    await this.terminate();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #onExit(reason: string, events: HostEvents): void {
    this.#exitReason = reason;
    const error = new ThreadLost({ thread: this.name, reason });
    for (const reject of [...this.#calls]) reject(error);
    this.#port.close();
    if (this.#up && !this.#leaving) events.onLost(reason);
  }

  async #race<T>(what: string, work: Promise<T>, deadlineMs: number): Promise<T> {
    if (this.#exitReason !== undefined) throw new ThreadLost({ thread: this.name, reason: this.#exitReason });
    let giveUp: (error: Error) => void = () => {};
    const given = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const timer = setTimeout(() => {
      giveUp(new AskTimeout({ actor: `the thread ${this.name}`, message: what, waitedMs: deadlineMs }));
    }, deadlineMs);
    this.#calls.add(giveUp);
    try {
      return await Promise.race([work, given]);
    } finally {
      clearTimeout(timer);
      this.#calls.delete(giveUp);
    }
  }
}
