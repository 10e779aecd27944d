/**
 * A worker thread as the main thread holds it: start with a handshake, control calls with deadlines, the end.
 *
 * Comlink alone leaves a call on a dead worker pending for ever, so every call here races the thread's exit and a
 * deadline.
 */
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { type Endpoint, type Remote, transfer, wrap } from 'comlink';
import { THREAD_CONTROL_MS, THREAD_START_MS, THREAD_STOP_MS } from './defaults.js';
import { AskTimeout, asTroupeError, ThreadLost } from './errors.js';
import type { HostControl, HostData, HostEvent } from './host.js';
import type { Probe } from './probes.js';

export class HostWorker {
  readonly number: number;
  readonly name: string;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #remote: Remote<HostControl>;
  readonly #exited: Promise<string>;
  #exitReason: string | undefined;
  #leaving = false;

  private constructor(
    data: Omit<HostData, 'control'>,
    onProbe: (probe: Probe) => void,
    onLost: (reason: string) => void,
  ) {
    this.number = data.number;
    this.name = data.name;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: HostData = { ...data, control: port2 };
    this.#worker = new Worker(new URL('./host.js', import.meta.url), {
      name: data.name,
      workerData,
      transferList: [port2 as Transferable],
    });
    this.#remote = wrap<HostControl>(port1 as unknown as Endpoint);
    this.#worker.on('message', (event: HostEvent) => {
      if (event.type === 'probe') onProbe(event.probe);
    });
    let cause: string | undefined;
    this.#worker.on('error', (error) => {
      cause = asTroupeError(error).message;
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#exitReason = cause ?? `it exited with code ${code}`;
        this.#port.close();
        if (!this.#leaving) onLost(this.#exitReason);
        resolve(this.#exitReason);
      });
    });
  }

  static async start(
    data: Omit<HostData, 'control'>,
    onProbe: (probe: Probe) => void,
    onLost: (reason: string) => void,
  ): Promise<HostWorker> {
    const host = new HostWorker(data, onProbe, onLost);
    const ready = new Promise<void>((resolve) => {
      host.#worker.on('message', (event: HostEvent) => event.type === 'ready' && resolve());
    });
    await host.#race('start', ready, THREAD_START_MS);
    return host;
  }

  connect(peer: number, port: MessagePort): Promise<void> {
    return this.#race(
      'connect',
      this.#remote.connect(peer, transfer(port, [port as never])),
      THREAD_CONTROL_MS,
    );
  }

  disconnect(peer: number, name: string, reason: string): Promise<void> {
    return this.#race('disconnect', this.#remote.disconnect(peer, name, reason), THREAD_CONTROL_MS);
  }

  forwardProbes(): Promise<void> {
    return this.#race('forwardProbes', this.#remote.forwardProbes(), THREAD_CONTROL_MS);
  }

  /** Leaves by protocol; by force when the thread does not answer in time. */
  async stop(reason: string): Promise<void> {
    if (this.#exitReason !== undefined) return;
    this.#leaving = true;
    try {
      await this.#race('stop', this.#remote.stop(reason), THREAD_STOP_MS);
      await this.#race('exit', this.#exited, THREAD_STOP_MS);
    } catch {
      await this.#worker.terminate();
    }
  }

  /** Ends the thread at once, as a crash would. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  async #race<T>(what: string, work: Promise<T>, deadlineMs: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new AskTimeout({ actor: `thread ${this.name}`, message: what, waitedMs: deadlineMs })),
        deadlineMs,
      );
    });
    const lost = this.#exited.then((reason) => {
      if (what === 'exit') return undefined as never;
      throw new ThreadLost({ thread: this.name, reason });
    });
    lost.catch(() => {});
    try {
      return await Promise.race([work, late, lost]);
    } finally {
      clearTimeout(timer);
    }
  }
}
