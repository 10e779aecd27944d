/**
 * The control socket of a running process: no more than an open file while nobody is attached. It never keeps the process
 * alive.
 */
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Connection } from './connection.js';
import { Pace } from './pace.js';
import { MAX_CONNECTIONS } from './protocol.js';
import { listen } from './sockets.js';
import { Lookout, type Source } from './source.js';

export class Observer {
  readonly #source: Source;
  readonly #lookout: Lookout;
  readonly #pace = new Pace();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #path: string | undefined;

  private constructor(source: Source) {
    this.#source = source;
    this.#lookout = new Lookout(source);
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
    // A connection that cannot be taken is the observer's loss alone.
    this.#server.on('error', () => {});
    this.#server.unref();
  }

  /** Opens the socket of this process in its data folder. Rejects with the system's error, or `ObserverFailed`. */
  static async open(source: Source, dir: string): Promise<Observer> {
    const observer = new Observer(source);
    try {
      observer.#path = await listen(observer.#server, dir, process.pid);
    } catch (error) {
      observer.close();
      throw error;
    }
    return observer;
  }

  /** The socket is gone, and those who were attached are cut off. */
  close(): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#lookout.forget();
    });
    new Connection(socket, this.#source, this.#lookout, this.#pace);
  }
}
