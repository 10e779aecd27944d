/**
 * A stream of text as lines, for both ends of the control socket.
 */

/** Takes the text as it comes and calls `onLine` for each whole line. Throws when one has more characters than `most`. */
export function lineReader(most: number, onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    for (const line of [...lines, rest]) {
      if (line.length > most) throw new RangeError(`a line has more than ${most} characters`);
    }
    for (const line of lines) if (line !== '') onLine(line);
  };
}
