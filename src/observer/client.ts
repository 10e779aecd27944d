/**
 * An observer's end of the control socket: attaches to a running troupe and asks it, with a deadline for everything.
 */
import type { Socket } from 'node:net';
import { AskTimeout, fromEnvelope, ObserverFailed } from '../errors.js';
import { lineReader } from './lines.js';
import {
  ANSWER_MS,
  type Answer,
  encode,
  MAX_ANSWER_CHARACTERS,
  PROTOCOL,
  type Request,
  type ServerLine,
  type TraceEvent,
} from './protocol.js';
import { type Label, reach, socketPath } from './sockets.js';

/** Longer than the other side takes to give up, so that its error is the one that is heard. */
const GRACE_MS = 1_000;

/** The number of what nobody asks for: the other side speaks first. */
const GREETING = 0;

interface Asked {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onEvent: ((event: TraceEvent) => void) | undefined;
}

export class Client {
  /** Settles when the process has ended or hung up. */
  readonly ended: Promise<void>;
  readonly label: Label;
  readonly #what: string;
  readonly #socket: Socket;
  readonly #asked = new Map<number, Asked>();
  #last = GREETING;

  private constructor(label: Label, socket: Socket) {
    this.label = label;
    this.#what = `process ${label}`;
    this.#socket = socket;
    this.ended = this.#read();
  }

  /** Attaches to a troupe of a data folder. Rejects with `ObserverFailed`, or `AskTimeout` when it is too busy. */
  static async attach(dir: string, label: Label): Promise<Client> {
    const what = `process ${label}`;
    const path = socketPath(dir, label);
    const socket = await reach(path).catch((error: Error) => {
      throw new ObserverFailed({ what, reason: error.message });
    });
    const client = new Client(label, socket);
    try {
      const protocol = await client.#answer<number>(GREETING, 'its greeting', ANSWER_MS);
      if (protocol === PROTOCOL) return client;
      const reason = `it speaks version ${protocol} of the protocol, and this is version ${PROTOCOL}`;
      throw new ObserverFailed({ what, reason });
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** Rejects with what the process answers, `AskTimeout` when its main thread is busy, or `ObserverFailed`. */
  ask<R extends Request>(request: R, onEvent?: (event: TraceEvent) => void): Promise<Answer[R['type']]> {
    const id = ++this.#last;
    const longestMs = 'forMs' in request ? request.forMs : ANSWER_MS;
    const answer = this.#answer<Answer[R['type']]>(id, request.type, longestMs + GRACE_MS, onEvent);
    this.#socket.write(encode({ ...request, id }));
    return answer;
  }

  /** The other side is gone, or this one was closed. */
  get hasEnded(): boolean {
    return this.#socket.destroyed;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #answer<T>(id: number, what: string, deadlineMs: number, onEvent?: Asked['onEvent']): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#asked.set(id, { resolve: resolve as Asked['resolve'], reject, onEvent });
        if (this.#socket.destroyed) return reject(this.#gone());
        timer = setTimeout(() => {
          const actor = `${this.#what} (its main thread)`;
          reject(new AskTimeout({ actor, message: what, waitedMs: deadlineMs }));
        }, deadlineMs);
      });
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
  }

  /** Settles when the socket has closed. */
  #read(): Promise<void> {
    const socket = this.#socket;
    const read = lineReader(MAX_ANSWER_CHARACTERS, (line) => this.#heard(JSON.parse(line) as ServerLine));
    socket.setEncoding('utf8');
    socket.on('error', () => socket.destroy());
    socket.on('data', (text: string) => {
      try {
        read(text);
      } catch {
        // What came is none of ours.
        socket.destroy();
      }
    });
    return new Promise((resolve) => {
      socket.on('close', () => {
        for (const { reject } of this.#asked.values()) reject(this.#gone());
        resolve();
      });
    });
  }

  #heard(line: ServerLine): void {
    if (line.type === 'hello') return this.#asked.get(GREETING)?.resolve(line.protocol);
    const asked = this.#asked.get(line.id);
    if (line.type === 'event') asked?.onEvent?.(line.event);
    else if (line.type === 'reply') asked?.resolve(line.value);
    else asked?.reject(fromEnvelope(line.error));
  }

  #gone(): Error {
    return new ObserverFailed({ what: this.#what, reason: 'it has ended, or takes no more observers' });
  }
}
