/**
 * Keys of a terminal one by one, as they are typed.
 */
import type { ReadStream } from 'node:tty';

/** Calls `onKey` for each until the function it answers is called; gives the terminal back then, and when the process ends. */
export function readKeys(terminal: ReadStream, onKey: (key: string) => void): () => void {
  const restore = (): void => void terminal.setRawMode(false);
  const read = (data: Buffer): void => {
    for (const key of data.toString()) onKey(key);
  };
  process.once('exit', restore);
  terminal.setRawMode(true);
  terminal.on('data', read);
  terminal.resume();
  return () => {
    terminal.off('data', read);
    terminal.pause();
    restore();
    process.off('exit', restore);
  };
}
