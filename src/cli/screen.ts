/**
 * A block of lines at the bottom of a terminal that is painted over and over, with the cursor hidden meanwhile.
 */
import { cut } from './text.js';

/** Ten paints a second: more are seen by nobody and cost the minds time. */
const REPAINT_MS = 100;
const ESC = '\x1b[';
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;

export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface Screen {
  /** Paints the block for the last time and gives the cursor back. */
  close(): void;
}

/** Paints what `draw` answers until it is closed; gives the cursor back too when the process ends without that. */
export function openScreen(
  terminal: Terminal,
  draw: (columns: number, rows: number) => readonly string[],
): Screen {
  let painted = 0;
  let last = '';
  const paint = (): void => {
    // A line as wide as the terminal, or a block as high, would scroll it and the next paint would miss the first.
    const columns = (terminal.columns ?? 80) - 1;
    const rows = (terminal.rows ?? 24) - 1;
    const lines = draw(columns, rows).slice(0, rows);
    const block = lines.map((line) => `${cut(line.trimEnd(), columns)}\n`).join('');
    if (block === last) return;
    terminal.write(`${painted > 0 ? `${ESC}${painted}A\r` : ''}${ESC}0J${block}`);
    painted = lines.length;
    last = block;
  };
  const showCursor = (): void => void terminal.write(SHOW_CURSOR);
  process.once('exit', showCursor);
  terminal.write(HIDE_CURSOR);
  paint();
  const timer = setInterval(paint, REPAINT_MS);
  return {
    close() {
      clearInterval(timer);
      paint();
      showCursor();
      process.off('exit', showCursor);
    },
  };
}
