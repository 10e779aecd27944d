/**
 * A reply's token bytes as text: whole characters only, and never a byte of a stop string.
 *
 * What may still become a stop string or a character is held back until it is decided. One stream belongs to one
 * turn; it knows nothing of tokens.
 */
import { createStopMatcher } from './stops.js';
import { decodeUtf8, unfinishedBytes } from './utf8.js';

export interface Pushed {
  /** Text that is certain now; may be empty. */
  readonly text: string;
  /** True from the push on that completed a stop string. */
  readonly stopped: boolean;
}

export interface ReplyStream {
  /** Takes the bytes of the next token. After a stop nothing is taken any more. */
  push(bytes: Uint8Array): Pushed;
  /** The text still held back, at the end of a reply; an unfinished character stays in `tail`. */
  end(): string;
  /** Bytes of an unfinished character at the very end; empty before `end` and after a stop. */
  readonly tail: Uint8Array;
  /** Bytes of the reply so far: all that were pushed, or after a stop those before the stop string. */
  readonly acceptedBytes: number;
}

const NONE = new Uint8Array(0);

export function createStream(stops: readonly string[]): ReplyStream {
  const matcher = stops.length > 0 ? createStopMatcher(stops) : undefined;
  let held = NONE;
  let tail = NONE;
  let accepted = 0;
  let stopped = false;

  /** Emits `bytes` but for `keep` at the end, which stay held. */
  const release = (bytes: Uint8Array, keep: number): string => {
    const end = bytes.length - keep;
    held = keep > 0 ? bytes.slice(end) : NONE;
    return decodeUtf8(bytes, end);
  };

  return {
    push(bytes) {
      if (stopped) return { text: '', stopped };
      const before = held.length;
      const all = before === 0 ? bytes : joined(held, bytes);
      accepted += bytes.length;
      let keep = 0;
      if (matcher !== undefined) {
        for (let i = before; i < all.length; i++) {
          const length = matcher.step(all[i] as number);
          if (length === 0) continue;
          const end = i + 1 - length;
          accepted -= all.length - end;
          held = NONE;
          stopped = true;
          return { text: decodeUtf8(all, end), stopped };
        }
        keep = matcher.held();
      }
      // A held stop begins with a whole character, so an unfinished one before it can never be finished.
      return { text: release(all, Math.max(keep, unfinishedBytes(all, all.length))), stopped };
    },
    end() {
      if (stopped) return '';
      const text = release(held, unfinishedBytes(held, held.length));
      tail = held;
      held = NONE;
      return text;
    },
    get tail() {
      return tail;
    },
    get acceptedBytes() {
      return accepted;
    },
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
