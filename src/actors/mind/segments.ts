/**
 * A template's output, taken apart again: what the template wrote, and what each message brought.
 *
 * A message whose markers do not come out as a pair was cut by the template; what is left of it counts as template
 * text, split at its breaks so that nothing in it can become a special token.
 */
import type { Markers } from './markers.js';

export interface Segment {
  /** The message this text is of; -1 for what the template wrote. */
  readonly message: number;
  /** The text, split where nothing may join into a special token. */
  readonly parts: readonly string[];
}

/** The whitespace around a message's text; the text itself goes between markers. */
export interface Framed {
  readonly lead: string;
  readonly trail: string;
}

/** Reads the output; `framed[i]` says what whitespace `Markers.space` stood for around message i. */
export function readSegments(output: string, markers: Markers, framed: readonly Framed[]): Segment[] {
  const segments: { message: number; parts: string[] }[] = [];
  let template = [''];
  let last = -1;
  const items = splitAtMarks(output, markers);
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Item;
    if (typeof item === 'string') {
      template[template.length - 1] += item;
      continue;
    }
    const close = item.kind === 'open' ? closing(items, i) : -1;
    if (close < 0) {
      template.push('');
      continue;
    }
    const message = nth(item.message, last, markers.pairs, framed.length);
    last = message;
    const parts = contentParts(items.slice(i + 1, close));
    const { lead, trail } = framed[message] as Framed;
    const before = template.at(-1) as string;
    if (lead !== '' && before.endsWith(markers.space)) {
      template[template.length - 1] = before.slice(0, -1);
      parts[0] = lead + parts[0];
    }
    const after = items[close + 1];
    if (trail !== '' && typeof after === 'string' && after.startsWith(markers.space)) {
      items[close + 1] = after.slice(1);
      parts[parts.length - 1] += trail;
    }
    segments.push({ message: -1, parts: template }, { message, parts });
    template = [''];
    i = close;
  }
  segments.push({ message: -1, parts: template });
  return segments
    .map((segment) => restoreSpaces(segment, markers.space))
    .filter((segment) => segment.parts.length > 0);
}

type Item = string | { readonly kind: 'open' | 'close' | 'break'; readonly message: number };

function splitAtMarks(output: string, markers: Markers): Item[] {
  const items: Item[] = [];
  let from = 0;
  for (let i = 0; i < output.length; i++) {
    const mark = markers.read(output.charCodeAt(i));
    if (mark === undefined) continue;
    if (i > from) items.push(output.slice(from, i));
    items.push(mark);
    from = i + 1;
  }
  if (from < output.length) items.push(output.slice(from));
  return items;
}

/** Where the pair of the opening mark at `open` ends, with nothing but its text between; -1 if it does not. */
function closing(items: readonly Item[], open: number): number {
  const { message } = items[open] as Exclude<Item, string>;
  for (let i = open + 1; i < items.length; i++) {
    const item = items[i] as Item;
    if (typeof item === 'string' || item.kind === 'break') continue;
    return item.kind === 'close' && item.message === message ? i : -1;
  }
  return -1;
}

function contentParts(items: readonly Item[]): string[] {
  const parts = [''];
  for (const item of items) {
    if (typeof item === 'string') parts[parts.length - 1] += item;
    else parts.push('');
  }
  return parts;
}

/** The message that a pair stands for: itself, or where pairs are used again the first one after `last`. */
function nth(pair: number, last: number, pairs: number, messages: number): number {
  if (messages <= pairs) return pair;
  const next = last + 1 + ((((pair - last - 1) % pairs) + pairs) % pairs);
  return next < messages ? next : pair;
}

/** A stand-in that was left without its message is a plain space. */
function restoreSpaces(segment: Segment, space: string): Segment {
  const parts = segment.parts.map((part) => part.replaceAll(space, ' ')).filter((part) => part !== '');
  return { message: segment.message, parts };
}
