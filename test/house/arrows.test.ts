import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { importsOf, wrongArrows } from './arrows.js';
import { trackedFiles } from './tracked.js';

const source = (path: string, text: string) => wrongArrows(new Map([[path, text]]));

describe('import arrows', () => {
  test('the sources follow them', () => {
    const files = trackedFiles(['src/*.ts']);
    expect(files.length).toBeGreaterThan(10);
    expect(
      wrongArrows(new Map(files.map((file) => [file.slice('src/'.length), readFileSync(file, 'utf8')]))),
    ).toEqual([]);
  });

  const planted: [path: string, text: string, wrong: string][] = [
    ['runtime/cell.ts', "import { Mind } from '../actors/mind/mind.js';", 'actors/mind/mind.ts'],
    ['runtime/cell.ts', "export * from '../errors.js';", 'errors.ts'],
    ['actors/mind/mind.ts', "import { addon } from '../../native/load.js';", 'native/load.ts'],
    [
      'actors/mind/mind.ts',
      "import { type Addon, StepStatus } from '../../native/addon.js';",
      'native/addon.ts',
    ],
    ['runtime/cell.ts', "import type { Addon } from '../native/addon.js';", 'native/addon.ts'],
    ['index.ts', "export { facts } from './jobs/facts.js';", 'jobs/facts.ts'],
    ['actors/broker/broker.ts', "import { Troupe } from '../../index.js';", 'index.ts'],
    ['observer/server.ts', "import { Troupe } from '../index.js';", 'index.ts'],
    ['observer/view.ts', "import { padded } from '../cli/text.js';", 'cli/text.ts'],
    [
      'observer/observation.ts',
      "import { readLanes } from '../actors/engine/status.js';",
      'actors/engine/status.ts',
    ],
    ['cli/demo.ts', "const { ask } = await import('../runtime/ask.js');", 'runtime/ask.ts'],
    ['genome/composer.ts', "import {\n  Page,\n} from '../pages/page.js';", 'pages/page.ts'],
  ];
  test.each(planted)('%s may not say %s', (path, text, target) => {
    expect(source(path, text)).toEqual([`${path} imports ${target}`]);
  });

  test('a new folder is no room until it has a row', () => {
    expect(source('things/thing.ts', '')).toEqual(['things/thing.ts stands in no known room']);
  });

  test('the engine and the pages may import the addon', () => {
    expect(source('actors/engine/engine.ts', "import { addon } from '../../native/addon.js';")).toEqual([]);
    expect(source('pages/write.ts', "import { addon } from '../native/addon.js';")).toEqual([]);
  });

  test('others may name its shapes', () => {
    expect(source('actors/mind/mind.ts', "import type { Addon } from '../../native/addon.js';")).toEqual([]);
  });

  test('imports named in comments do not count', () => {
    expect(importsOf("/** as in `import x from './x.js'` */\n// from './y.js'\nimport './z.js';")).toEqual([
      { from: './z.js', typeOnly: false },
    ]);
  });
});
