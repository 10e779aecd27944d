/**
 * The size and the shape of a message, without its contents, at a bounded cost however large it is. A message of the same
 * thread may hold what throws when it is looked at; looking harms nobody.
 */
import { PEEK_PREVIEW, PEEK_VALUES } from './defaults.js';

const DEEPEST = 4;
const UNREADABLE = '(cannot be read)';

/** Bytes of the texts, numbers and buffers in a value, of the first `PEEK_VALUES` values; 0 if it cannot be read. */
export const sizeOf = (value: unknown): number => looked(() => measured(value)) ?? 0;

/** Names and numbers; texts are what people wrote, and show their length only. */
export const previewOf = (type: string, message: object): string =>
  looked(() => written(type, message)) ?? UNREADABLE;

function measured(value: unknown): number {
  let left = PEEK_VALUES;
  const measure = (part: unknown): number => {
    if (left-- <= 0) return 0;
    if (typeof part === 'string') return part.length;
    if (typeof part !== 'object' || part === null) return 8;
    const buffer = bufferBytes(part);
    if (buffer !== undefined) return buffer;
    let bytes = 0;
    for (const [, inner] of parts(part)) {
      if (left <= 0) break;
      bytes += measure(inner);
    }
    return bytes;
  };
  return measure(value);
}

function written(type: string, message: object): string {
  const { type: _, ...fields } = message as { type?: unknown };
  let text = `${type} `;
  const full = (): boolean => text.length > PEEK_PREVIEW;
  const write = (value: unknown, depth: number): void => {
    if (typeof value === 'string') text += `<${value.length} characters>`;
    else if (typeof value !== 'object' || value === null) text += String(value);
    else if (bufferBytes(value) !== undefined) text += `<${bufferBytes(value)} bytes>`;
    else if (depth > DEEPEST) text += '...';
    else writeParts(value, depth);
  };
  const writeParts = (value: object, depth: number): void => {
    text += '{';
    let separator = '';
    for (const [key, inner] of parts(value)) {
      if (full()) return;
      text += key === undefined ? separator : `${separator}${key}: `;
      separator = ', ';
      write(inner, depth + 1);
    }
    text += '}';
  };
  write(fields, 0);
  return full() ? `${text.slice(0, PEEK_PREVIEW)}...` : text;
}

function looked<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function bufferBytes(value: object): number | undefined {
  const { byteLength } = value as { byteLength?: unknown };
  return typeof byteLength === 'number' ? byteLength : undefined;
}

/** What an object holds, one by one: fields with their names, members of lists, maps and sets without. */
function* parts(value: object): IterableIterator<[key: string | undefined, part: unknown]> {
  if (value instanceof Map) {
    for (const [key, part] of value) {
      yield [undefined, key];
      yield [undefined, part];
    }
  } else if (Array.isArray(value) || value instanceof Set) {
    for (const part of value as Iterable<unknown>) yield [undefined, part];
  } else {
    for (const key in value) yield [key, (value as Record<string, unknown>)[key]];
  }
}
