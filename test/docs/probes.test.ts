/** The list of probes names each that the sources send, and no other. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { trackedFiles } from '../house/tracked.js';

it('R6 docs/probes.md lists every probe', () => {
  const sent = new Set<string>();
  for (const path of trackedFiles(['src/*.ts'])) {
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(
      /\bname: '([a-z_]+(?:\.[a-z_]+)+|deadlock)'/g,
    )) {
      sent.add(name);
    }
  }
  const rows = readFileSync('docs/probes.md', 'utf8').matchAll(/^\| (`.*?) \|/gm);
  const listed = [...rows].flatMap(([, names = '']) =>
    [...names.matchAll(/`(.*?)`/g)].map(([, name]) => name),
  );
  expect(listed.sort()).toEqual([...sent].sort());
});
