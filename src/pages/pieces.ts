/**
 * A lane's bytes on their way to a file: the job that writes them wants one piece after the other, and the actor that asked
 * for the job has each brought into a window, from which the job then writes. The job's thread waits for a piece, which is
 * what it is there for; the actor's thread never does.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Aborted, DeadlineExceeded } from '../errors.js';
import type { LayoutInfo, PageStore, WindowInfo } from '../native/pages.js';
import { type ErrorEnvelope, fromEnvelope, toEnvelope } from '../runtime/errors.js';
import type { PageSource } from './source.js';

/** Who brings a piece has a deadline of its own, which is shorter; one that is gone is waited for no longer than this. */
const PIECE_MS = 10_000;

/** Bytes of a section of the page that the lane would become. */
export interface Piece {
  readonly section: number;
  readonly offset: number;
  readonly length: number;
}

/** Brings what a job wants, or rejects with why the job is to end. */
export interface Bringing {
  /** Opens the window. */
  open(): Promise<WindowInfo>;
  /** The piece is in the window then. */
  fill(piece: Piece): Promise<void>;
}

/** The same to a job, whose thread it holds until it is there. */
export interface Brings {
  open(): WindowInfo;
  fill(piece: Piece): void;
}

/** The job's end of the line. */
export interface PiecesEnd {
  readonly port: MessagePort;
  /** One number: 1 when an answer has come. */
  readonly signal: SharedArrayBuffer;
}

type Wanted = { readonly open: true } | { readonly fill: Piece };
type Answer = { readonly ok: WindowInfo | undefined } | { readonly error: ErrorEnvelope };

/** A line over which one job has its pieces brought, until `close`. */
export function bringTo(bringing: Bringing): { readonly end: PiecesEnd; readonly close: () => void } {
  const { port1: here, port2: port } = new MessageChannel();
  const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  here.on('message', async (wanted: Wanted) => {
    let answer: Answer;
    try {
      answer = { ok: 'open' in wanted ? await bringing.open() : void (await bringing.fill(wanted.fill)) };
    } catch (error) {
      answer = { error: toEnvelope(error) };
    }
    here.postMessage(answer);
    const cell = new Int32Array(signal);
    Atomics.store(cell, 0, 1);
    Atomics.notify(cell, 0);
  });
  return { end: { port, signal }, close: () => here.close() };
}

/** What a job has brought over its end of the line. Throws what bringing it rejects with, and DeadlineExceeded. */
export function broughtOver({ port, signal }: PiecesEnd, what: string): Brings {
  const cell = new Int32Array(signal);
  const bring = (wanted: Wanted): WindowInfo | undefined => {
    Atomics.store(cell, 0, 0);
    port.postMessage(wanted);
    const isLate = Atomics.wait(cell, 0, 0, PIECE_MS) === 'timed-out';
    if (isLate) throw new DeadlineExceeded({ what: `a piece of ${what}`, deadlineMs: PIECE_MS });
    const answer = receiveMessageOnPort(port)?.message as Answer | undefined;
    if (answer === undefined) throw new Aborted({ what });
    if ('error' in answer) throw fromEnvelope(answer.error);
    return answer.ok;
  };
  return {
    open: () => bring({ open: true }) as WindowInfo,
    fill: (piece) => void bring({ fill: piece }),
  };
}

type Window = Pick<PageStore, 'checksum' | 'write'>;

/** A lane as a page's files take it, each piece brought once. */
export function laneSource(
  store: Window,
  { page, pieceBytes, layout }: WindowInfo,
  brings: Pick<Brings, 'fill'>,
): PageSource {
  let there: Piece | undefined;
  /** Where in the window a part of a section lies; what lies behind it is there then too. */
  const placeOf = (section: number, offset: number, length: number): number => {
    const at = offset - (there?.offset ?? 0);
    if (there?.section === section && at >= 0 && at + length <= there.length) return at;
    there = undefined;
    brings.fill({ section, offset, length });
    there = { section, offset, length };
    return 0;
  };
  return {
    layout: layoutOf(layout),
    chunkBytes: pieceBytes,
    checksum: (section, offset, length, before) =>
      store.checksum(page, 0, placeOf(section, offset, length), length, before),
    write: (file, section, offset, length) =>
      store.write(file, page, 0, placeOf(section, offset, length), length),
  };
}

const layoutOf = ({ fingerprint, cells, sections }: LayoutInfo): PageSource['layout'] => ({
  ...{ fingerprint, cells, sections },
});
