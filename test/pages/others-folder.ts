/** A folder that is not the user's own: the tests' user makes one and gives it away if it may, else it is the system's. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Nobody's number. */
const OTHER = 54_321;

const made: string[] = [];
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

export function othersFolder(): string {
  if (process.getuid?.() !== 0) return '/usr';
  const folder = mkdtempSync(join(tmpdir(), 'troupe-other-'));
  made.push(folder);
  chownSync(folder, OTHER, OTHER);
  return folder;
}
