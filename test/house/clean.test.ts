import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { trackedFiles } from './tracked.js';

const LONGEST_FILE_LINES = 260;

/** What belongs to one machine or one moment and not into the project. Written so that this file does not match. */
const STRAY = [
  /registry\.npm[j]s\.org|registry\.yarnp[k]g\.com|deb\.debian\.or[g]/,
  /"resol[v]ed":/,
  /(^|[^.\w])\/(wor[k]|roo[t]|hom[e]\/\w+)\//,
  /\b(TO[D]O|FIX[M]E|XX[X])\b/,
];

/** `path:line: text` for each line of `text` that holds something stray. */
function strayLines(path: string, text: string): string[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, at: `${path}:${index + 1}: ${line.trim()}` }))
    .filter(({ line }) => STRAY.some((pattern) => pattern.test(line)))
    .map(({ at }) => at);
}

describe('the project', () => {
  test('names no registry host, no path of one machine, and leaves no note to be done', () => {
    const files = trackedFiles(['*', ':!*.gguf', ':!*.png', ':!models/held-out/*']);
    expect(files.length).toBeGreaterThan(30);
    expect(files.flatMap((file) => strayLines(file, readFileSync(file, 'utf8')))).toEqual([]);
  });

  test.each([
    ['      "resol', 'ved": "an address",'],
    ['see https://registry.npm', 'js.org/x'],
    ["const model = '/wo", "rk/main/model.gguf';"],
    ['// TO', 'DO: later'],
  ])('would be told of %s|%s', (start, end) => {
    expect(strayLines('file', `first\n${start}${end}`)).toEqual([`file:2: ${(start + end).trim()}`]);
  });

  test('a relative folder of such a name belongs to no machine', () => {
    expect(strayLines('file', 'all files go to ./work/corpora')).toEqual([]);
  });

  test(`has no source file over ${LONGEST_FILE_LINES} lines`, () => {
    const lengths = trackedFiles(['src/*', 'native/src/*', 'scripts/*', 'bench/*.mjs']).map((file) => ({
      file,
      lines: readFileSync(file, 'utf8').split('\n').length - 1,
    }));
    expect(lengths.filter(({ lines }) => lines > LONGEST_FILE_LINES)).toEqual([]);
  });
});
