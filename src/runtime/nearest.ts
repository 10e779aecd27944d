/**
 * The right name for a wrong one: what a mistyped option, field or command was probably meant to be.
 */

/** A longer name is no mistyped one of ours. */
const MAX_LENGTH = 64;

/** Fewer letters begin too many names to mean one. */
const LEAST_BEGINNING = 3;

/**
 * The known name nearest to `name`: the one that begins with it, or that of which least differs; undefined when none is near
 * (over two fifths of it differ).
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = name.toLowerCase();
  const all = [...known];
  const [longer, ...others] = all.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  if (longer !== undefined && others.length === 0 && name.length >= LEAST_BEGINNING) return longer;
  let best: string | undefined;
  let bestEdits = Math.ceil(name.length * 0.4) + 1;
  for (const candidate of all) {
    const edits = editDistance(wanted, candidate.toLowerCase());
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
