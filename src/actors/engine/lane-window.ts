/**
 * The window through which an idle lane goes to disk (B4): whoever writes it asks for one piece after the other, and each is
 * copied into the same memory between two steps. The lane stays as it is; what changes it closes the window, and the next
 * piece is refused.
 */
import { BadArgument, LaneMismatch } from '../../errors.js';
import type { NativeContext } from '../../native/addon.js';
import type { WindowInfo } from '../../native/pages.js';
import type { Piece } from '../../pages/pieces.js';
import { type Context, type Refusal, refuse } from '../../runtime/actor.js';
import type { Activity } from '../activity.js';
import type { LeaseNews } from '../broker/lease-news.js';
import type { Lane } from './lane.js';
import type { Pages } from './pages.js';

/** All that is taken of memory for a lane on its way out. As much as is written at once: a file of a page has such chunks. */
const WINDOW_BYTES = 16 * 2 ** 20;
/** Who writes asks for the next piece when the disk has taken this one. */
const UNUSED_MS = 10_000;

/** An idle lane: by what it was given out for last, and how much it has held since, it is known to be as it was. */
export interface IdleLane {
  readonly activity: Activity;
  readonly lane: number;
  readonly grant: number;
  readonly held: number;
}

/** Said by who writes a lane to disk. */
export type WindowMessage =
  /** Asked: the answer is a `WindowInfo`. Refuses with LaneMismatch, and as `NativePaging.openWindow`. */
  | ({ readonly type: 'open-window' } & IdleLane)
  /** Asked: the piece is in the window then. Refuses as `NativePaging.fillWindow`. */
  | ({ readonly type: 'fill-window'; readonly window: number } & Piece)
  /** It is of no more use; the engine's word to itself, where nobody has asked for a piece for too long. */
  | { readonly type: 'close-window'; readonly window: number };

type Of<Type extends WindowMessage['type']> = WindowMessage & { readonly type: Type };

/** A relaunch makes them anew. */
export interface WindowOf {
  readonly context: NativeContext;
  readonly pages: Pages;
  readonly lanes: { readonly all: readonly Lane[] };
}

export class LaneWindow {
  readonly #ctx: Context;
  readonly #news: Pick<LeaseNews, 'changed'>;
  readonly #of: WindowOf;
  #open: number | undefined;
  #forget: () => void = () => {};

  constructor(ctx: Context, news: Pick<LeaseNews, 'changed'>, of: WindowOf) {
    this.#ctx = ctx;
    this.#news = news;
    this.#of = of;
  }

  hear(message: WindowMessage): WindowInfo | Refusal | undefined {
    try {
      if (message.type === 'open-window') return this.#opened(message);
      if (message.type === 'fill-window') this.#fill(message);
      else this.#close(message.window);
      return undefined;
    } catch (error) {
      return refuse(error);
    }
  }

  #fill({ window, section, offset, length }: Of<'fill-window'>): void {
    if (window !== this.#open) {
      const expected = 'the number of the window that is open';
      throw new BadArgument({ argument: 'window', value: window, expected });
    }
    try {
      this.#of.context.fillWindow(section, offset, length);
    } catch (error) {
      // It is closed already where its lane has changed, and who is refused a piece wants no other.
      this.#close(window);
      throw error;
    }
    this.#expectMore(window);
  }

  #close(window: number): void {
    if (window !== this.#open) return;
    this.#open = undefined;
    this.#forget();
    this.#news.changed();
    this.#of.context.closeWindow();
  }

  #opened(wanted: Of<'open-window'>): WindowInfo {
    const { lanes, pages } = this.#of;
    const lane = lanes.all[wanted.lane];
    if (lane === undefined || !isSo(lane, wanted)) {
      const expected = `${wanted.held} tokens of ${wanted.activity}, since grant ${wanted.grant}`;
      const actual = lane?.run === undefined ? (lane?.activity ?? 'nothing') : 'a run';
      throw new LaneMismatch({ lane: wanted.lane, expected, actual });
    }
    if (this.#open !== undefined) this.#close(this.#open);
    const window = pages.openWindow(lane, WINDOW_BYTES);
    this.#open = window.page;
    this.#expectMore(window.page);
    this.#news.changed();
    return window;
  }

  #expectMore(window: number): void {
    this.#forget();
    this.#forget = this.#ctx.after(UNUSED_MS, { type: 'close-window', window } satisfies WindowMessage);
  }
}

/** A run has a grant of its own: the lane is as it was when the run before it had ended, or it has been given out since. */
const isSo = (lane: Lane, { activity, grant, held }: IdleLane): boolean =>
  lane.activity === activity && lane.grant === grant && lane.held === held;
