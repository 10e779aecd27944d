/**
 * From sampled tokens to the reply: its text as it grows, and at the end the tokens that stand for exactly that text.
 */
import type { NativeModel } from '../../native/addon.js';
import { type Lane, type RunOnLane, tokensWithin } from './lane.js';
import type { ReplySoFar } from './protocol.js';

export interface Grown {
  readonly text: string;
  /** The reply ends here, at an ending token or a stop string. */
  readonly stopped: boolean;
}

export interface FinishedReply {
  /** Text that was held back until now. */
  readonly text: string;
  readonly tokens: Int32Array;
  /** How many tokens of the lane, from the reply's first, lie wholly within it. */
  readonly kept: number;
}

export class Replies {
  readonly #model: NativeModel;
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #ends: ReadonlySet<number>;

  constructor(model: NativeModel) {
    this.#model = model;
    const { bytes, offsets } = model.pieces();
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#ends = new Set(model.ends());
  }

  /** Adds a sampled token to the lane and its reply. */
  grow(lane: Lane, run: RunOnLane, token: number): Grown {
    run.produced++;
    if (this.#ends.has(token)) return { text: '', stopped: true };
    lane.tokens.push(token);
    return this.#push(run, token);
  }

  /** A run that goes on with a reply: answers its text that no piece has carried yet, and whether it is whole already. */
  takeUp(run: RunOnLane, { tokens, carried }: ReplySoFar): Grown {
    let stopped = false;
    for (const token of tokens) stopped = this.#push(run, token).stopped;
    return { text: run.text.slice(carried), stopped };
  }

  finish(lane: Lane, run: RunOnLane): FinishedReply {
    const text = run.stream.end();
    const accepted = run.stream.acceptedBytes - run.stream.tail.length;
    const kept = tokensWithin(run.byteEnds, accepted);
    const whole = lane.tokens.slice(run.replyAt, run.replyAt + kept);
    const from = run.byteEnds[kept - 1] ?? 0;
    if (from === accepted) return { text, tokens: Int32Array.from(whole), kept };
    // A stop string or the end cut a token in two: what is left of it is tokenised anew.
    const cut = this.#piece(lane.tokens[run.replyAt + kept] as number).subarray(0, accepted - from);
    const rest = this.#model.tokenize(new TextDecoder().decode(cut), { special: false, continues: true });
    return { text, tokens: Int32Array.from([...whole, ...rest]), kept };
  }

  #push(run: RunOnLane, token: number): Grown {
    const piece = this.#piece(token);
    run.byteEnds.push((run.byteEnds.at(-1) ?? 0) + piece.length);
    const grown = run.stream.push(piece);
    run.text += grown.text;
    return grown;
  }

  #piece(token: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[token] as number, this.#offsets[token + 1] as number);
  }
}
