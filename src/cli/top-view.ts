/**
 * What `troupe top` shows: the threads, and the actors with the busiest first. Pure: plain data in, lines out.
 */
import type { View } from '../observer/view.js';
import { counted, whole } from './figures.js';
import { lined, widthsOf } from './table.js';

export interface TopState {
  /** The process, as it is called. */
  readonly label: string;
  readonly view: View;
  /** Why the figures are old; undefined when they are not. */
  readonly stale: string | undefined;
}

/** Widths of the two tables' columns so far. */
export interface Widths {
  readonly threads: readonly number[];
  readonly actors: readonly number[];
}

export const NO_WIDTHS: Widths = { threads: [], actors: [] };

const THREADS = ['thread', 'actors', 'queued', 'msg/s', 'state'];
const ACTORS = ['actor', 'thread', 'queued', 'msg/s', 'oldest', 'in hand', 'waits for', 'trouble'];

/** At most so many rows; actors that do not fit are counted in the last one. */
export function drawTop(
  { label, view, stale }: TopState,
  rows: number,
  before: Widths = NO_WIDTHS,
): { readonly lines: string[]; readonly widths: Widths } {
  const threads = [
    THREADS,
    ...view.threads.map(({ name, actors, queued, rate, state }) => [name, actors, queued, rate, state]),
  ];
  const total = view.actors.length + view.more;
  const head = [
    `process ${label}`,
    counted(view.threads.length, 'thread'),
    counted(total, 'actor'),
    ...(view.rate === undefined ? [] : [`${whole(view.rate)} messages/s`]),
    ...(stale === undefined ? [] : [stale]),
  ];
  const room = Math.max(0, rows - threads.length - 5);
  const shown = view.actors.slice(0, total <= room + 1 ? room + 1 : room);
  const actors = shown.map(({ name, thread, queued, rate, oldest, inHand, waitsFor, trouble }) => [
    ...[name, thread, queued, rate, oldest, inHand, waitsFor, trouble],
  ]);
  const widths = {
    threads: widthsOf(threads, before.threads),
    actors: headed(ACTORS, widthsOf(actors, before.actors)),
  };
  return {
    lines: [
      head.join('  '),
      '',
      ...lined(threads, widths.threads),
      '',
      ...lined([ACTORS, ...actors], widths.actors),
      ...(shown.length < total ? [`and ${counted(total - shown.length, 'actor')} more`] : []),
    ].slice(0, Math.max(0, rows)),
    widths,
  };
}

/** A column has its heading once it has anything. */
const headed = (headings: readonly string[], widths: readonly number[]): number[] =>
  headings.map((heading, i) => ((widths[i] ?? 0) > 0 ? Math.max(widths[i] ?? 0, heading.length) : 0));
