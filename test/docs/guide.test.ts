import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { TINY } from '../face/stage.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/actors.md'), 'utf8');
/** Within the package, so that its own name finds it. */
mkdirSync(join(root, 'dist'), { recursive: true });
const folder = mkdtempSync(join(root, 'dist/guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('U1 the guide to actors', () => {
  it('U1 its program runs and prints what the guide says', { timeout: 60_000 }, async () => {
    for (const [, name, code] of guide.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs)) {
      const options = `{ model: ${JSON.stringify(TINY)}, dir: ${JSON.stringify(join(folder, 'data'))} }`;
      const quick = (code as string)
        .replace('await using troupe', 'const troupe')
        .replace('Troupe.start()', `Troupe.start(${options})`);
      writeFileSync(
        join(folder, name as string),
        name === 'main.js' ? `${quick}\nawait troupe.stop();\n` : quick,
      );
    }
    const expected = guide.match(/```text\n(.*?)```/s)?.[1];
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.js')]);
    expect(stdout).toBe(expected);
  });
});
