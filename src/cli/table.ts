/**
 * Rows of texts in columns that line up, for a terminal.
 */
import { columnsOf, oneLine, padded } from './text.js';

const GAP = '  ';
/** No column but the last is wider. */
const MAX_COLUMNS = 32;

/** How wide each column must be for these rows; never narrower than before, so that a live table does not jump. */
export function widthsOf(rows: readonly (readonly string[])[], before: readonly number[] = []): number[] {
  const widths = [...before];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, Math.min(columnsOf(oneLine(cell)), MAX_COLUMNS));
    });
  }
  return widths;
}

/** One line a row. A column that is empty throughout is left out; the last one is not cut. */
export function lined(rows: readonly (readonly string[])[], widths = widthsOf(rows)): string[] {
  return rows.map((row) =>
    row
      .map((cell, i) => ({ cell: oneLine(cell), width: widths[i] ?? 0, isLast: i === row.length - 1 }))
      .filter(({ width }) => width > 0)
      .map(({ cell, width, isLast }) => (isLast ? cell : padded(cell, width)))
      .join(GAP)
      .trimEnd(),
  );
}
