/**
 * A stream of text as lines, for both ends of the control socket.
 */

/** Takes the text as it comes and calls `onLine` for each whole line. Throws when one has more characters than `most`. */
export function lineReader(most: number, onLine: (line: string) => void): (text: string) => void {
  /** The line that has not ended, as it came: looked through once, however many parts it comes in. */
  let parts: string[] = [];
  let length = 0;
  const keep = (part: string): void => {
    length += part.length;
    if (length > most) throw new RangeError(`a line has more than ${most} characters`);
    if (part !== '') parts.push(part);
  };
  return (text) => {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      keep(text.slice(from, end));
      const line = parts.join('');
      parts = [];
      length = 0;
      from = end + 1;
      if (line !== '') onLine(line);
    }
    keep(text.slice(from));
  };
}
