/**
 * Text for a terminal: without control characters, on one line, cut to columns.
 *
 * What a model writes may hold anything, an escape sequence too; nothing of the kind reaches the terminal.
 */

const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const MARKS = /\p{M}/u;
/** First and last code points of the scripts that take two columns. */
const WIDE = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
] as const;

/** The text with its line breaks and tabs, and no other control character. */
export const harmless = (text: string): string =>
  text.replace(CONTROLS, (control) => (control === '\n' || control === '\t' ? control : ''));

/** The text on one line. */
export const oneLine = (text: string): string => harmless(text).replace(/\s+/g, ' ').trim();

/** Columns that a text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/** The beginning of a text, in at most so many columns; an ellipsis where something is missing. */
export function cut(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : takeWhile([...text], columns).join('');
}

/** The end of a text, likewise. */
export function cutStart(text: string, columns: number): string {
  return columnsOf(text) <= columns
    ? text
    : takeWhile([...text].reverse(), columns)
        .reverse()
        .join('');
}

/** A text filled up with spaces to so many columns, or cut to them. */
export function padded(text: string, columns: number): string {
  const short = cut(text, columns);
  return short + ' '.repeat(Math.max(0, columns - columnsOf(short)));
}

/** Words in lines of at most so many columns. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of oneLine(text).split(' ')) {
    if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > columns) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? cut(word, columns) : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

function takeWhile(characters: readonly string[], columns: number): string[] {
  const taken: string[] = [];
  let left = columns - 1;
  for (const character of characters) {
    left -= widthOf(character);
    if (left < 0) break;
    taken.push(character);
  }
  return columns < 1 ? [] : [...taken, '…'];
}

function widthOf(character: string): number {
  const code = character.codePointAt(0) as number;
  if (code < 0x300) return 1;
  if (MARKS.test(character)) return 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
