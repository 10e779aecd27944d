/**
 * The files of the project, as git knows them: tracked, or new and not ignored.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Paths from the project's root that match any of `patterns` (git's; `*` crosses folders). */
export function trackedFiles(patterns: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...patterns], {
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file !== '' && existsSync(file));
}
