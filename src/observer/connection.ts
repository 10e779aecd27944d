/**
 * One observer that has attached: its requests are answered one at a time, each within a deadline, and it is cut off when
 * it does not read what it asked for.
 */
import type { Socket } from 'node:net';
import { AskTimeout } from '../errors.js';
import { type ErrorEnvelope, toEnvelope } from '../runtime/errors.js';
import { answer } from './answers.js';
import { lineReader } from './lines.js';
import type { Pace } from './pace.js';
import {
  ANSWER_MS,
  encode,
  MAX_PENDING,
  MAX_REQUEST_CHARACTERS,
  MAX_TRACE_UNREAD_BYTES,
  MAX_UNREAD_BYTES,
  PROTOCOL,
  parseRequest,
  type ServerLine,
  SILENT_MS,
} from './protocol.js';
import type { Lookout, Source } from './source.js';
import type { Listener } from './trace.js';

export class Connection {
  readonly #socket: Socket;
  readonly #source: Source;
  readonly #lookout: Lookout;
  readonly #pace: Pace;
  /** Requests that wait for their turn. */
  readonly #pending: string[] = [];
  /** Aborted when the observer has said all that it will, or is gone. */
  readonly #gone = new AbortController();
  #answering = false;

  constructor(socket: Socket, source: Source, lookout: Lookout, pace: Pace) {
    this.#socket = socket;
    this.#source = source;
    this.#lookout = lookout;
    this.#pace = pace;
    const read = lineReader(MAX_REQUEST_CHARACTERS, (line) => this.#ask(line));
    socket.unref();
    socket.setEncoding('utf8');
    socket.setTimeout(SILENT_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#gone.abort());
    socket.on('end', () => {
      this.#gone.abort();
      void this.#answerAll();
    });
    socket.on('data', (text: string) => {
      try {
        read(text);
      } catch {
        socket.destroy();
      }
    });
    this.#send({ type: 'hello', protocol: PROTOCOL, pid: process.pid });
  }

  #ask(line: string): void {
    if (this.#socket.destroyed) return;
    if (this.#pending.push(line) > MAX_PENDING) this.#socket.destroy();
    else void this.#answerAll();
  }

  /** One at a time, in order; when the other side has said all, so has this one. */
  async #answerAll(): Promise<void> {
    if (this.#answering) return;
    this.#answering = true;
    while (!this.#socket.destroyed) {
      const line = this.#pending.shift();
      if (line === undefined) break;
      await this.#reply(line);
    }
    this.#answering = false;
    if (this.#gone.signal.aborted) this.#socket.end();
  }

  async #reply(line: string): Promise<void> {
    let id = 0;
    try {
      // Also what is no request is work.
      await this.#pace.turn();
      const parsed = this.#pace.work(() => parseRequest(line));
      id = parsed.id;
      const { request } = parsed;
      // What a look costs is shared by those that share it.
      const look = this.#lookout.look();
      const answering = this.#pace.work(() => answer(request, this.#source, look, this.#listener(id)));
      // A trace has a time of its own.
      const value = await ('forMs' in request ? answering : inTime(answering, request.type));
      this.#pace.work(() => this.#send({ type: 'reply', id, value }));
    } catch (error) {
      this.#pace.work(() => this.#send({ type: 'failed', id, error: withoutStack(toEnvelope(error)) }));
    }
  }

  #listener(id: number): Listener {
    return {
      gone: this.#gone.signal,
      send: (event) => {
        if (this.#socket.writableLength > MAX_TRACE_UNREAD_BYTES) return false;
        this.#send({ type: 'event', id, event });
        return true;
      },
    };
  }

  #send(line: ServerLine): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(encode(line));
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#socket.destroy();
  }
}

async function inTime<T>(answering: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new AskTimeout({ actor: 'the thread that was asked', message: what, waitedMs: ANSWER_MS });
    timer = setTimeout(() => reject(error), ANSWER_MS).unref();
  });
  try {
    return await Promise.race([answering, late]);
  } finally {
    clearTimeout(timer);
  }
}

const withoutStack = (error: ErrorEnvelope): ErrorEnvelope => ({ ...error, stack: undefined });
