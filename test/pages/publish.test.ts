import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pagePath, stagingPath } from '../../src/pages/layout.js';
import { folderName } from '../../src/pages/names.js';
import { publish } from '../../src/pages/publish.js';
import { list, remove } from '../../src/pages/read.js';
import { gist, plainDirectory, plainPage, publishPlain, readPlain, sourceOf, thrown } from './plain-pages.js';

describe('P6 publication', () => {
  test('P6 what is published is read back, byte for byte, sections empty and of several kinds', () => {
    const directory = plainDirectory();
    const page = {
      ...plainPage(7),
      sections: [...plainPage(7, 100_000, 3).sections, { kind: 4, data: new Uint8Array() }],
    };
    publishPlain(directory, 'ada/main', page);
    expect(gist(readPlain(directory, 'ada/main'))).toBe(gist(page));
  });

  test('P6 a generation takes the place of the one before, and files that it lacks are removed', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'ada/main', plainPage(1, 500, 4));
    const second = publishPlain(directory, 'ada/main', plainPage(2, 400, 1));
    expect(second.generation).toBe(2);
    expect(gist(readPlain(directory, 'ada/main'))).toBe(gist(plainPage(2, 400, 1)));
    const files = readdirSync(pagePath(directory.path, folderName('ada/main'))).sort();
    expect(files).toEqual(['0-kv', '1-tokens', '2-meta', '3-checkpoint', 'manifest']);
  });

  test('P6 nothing stays staged', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'ada/main', plainPage(1));
    expect(readdirSync(stagingPath(directory.path))).toEqual([]);
  });

  test('P6 pages of other names are not touched', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'ada/main', plainPage(1));
    publishPlain(directory, 'Ada/main', plainPage(2));
    publishPlain(directory, 'ada/Main', plainPage(3));
    expect(gist(readPlain(directory, 'ada/main'))).toBe(gist(plainPage(1)));
    expect(gist(readPlain(directory, 'Ada/main'))).toBe(gist(plainPage(2)));
  });

  test('P6 a publication that its caller ends leaves the old generation and nothing staged', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'ada/main', plainPage(1));
    const end = () => {
      throw new Error('enough');
    };
    for (const name of ['ada/main', 'bob/main']) {
      expect(
        thrown(() => publish(directory, name, sourceOf(plainPage(2), directory.disk), 0, end)).message,
      ).toBe('enough');
    }
    expect(gist(readPlain(directory, 'ada/main'))).toBe(gist(plainPage(1)));
    expect(list(directory).pages.map(({ name }) => name)).toEqual(['ada/main']);
    expect(readdirSync(stagingPath(directory.path))).toEqual([]);
    expect(existsSync(pagePath(directory.path, folderName('bob/main')))).toBe(false);
  });

  test('P6 one page is not read and written at the same time', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'ada/main', plainPage(1));
    const codes: (string | undefined)[] = [];
    publish(directory, 'ada/main', sourceOf(plainPage(2), directory.disk), 0, () => {
      codes.push(thrown(() => readPlain(directory, 'ada/main')).code);
      codes.push(thrown(() => remove(directory, 'ada/main')).code);
      publishPlain(directory, 'bob/main', plainPage(3));
    });
    expect(new Set(codes)).toEqual(new Set(['PageBusy']));
    expect(gist(readPlain(directory, 'ada/main'))).toBe(gist(plainPage(2)));
  });

  test.each([
    ['too many sections', Array.from({ length: 4_097 }, () => ({ kind: 4, data: new Uint8Array() }))],
    ['a kind that no file has', [{ kind: 8, data: new Uint8Array() }]],
    ['the kind of a manifest', [{ kind: 0, data: new Uint8Array() }]],
  ])('P6 refuses %s', (_, sections) => {
    const directory = plainDirectory();
    const refusal = thrown(() => publishPlain(directory, 'ada/main', { ...plainPage(1), sections }));
    expect(refusal).toMatchObject({ code: 'BadArgument', detail: { argument: 'sections' } });
  });
});

describe('P5 the list', () => {
  test('P5 says name, bytes, generation, time and fingerprint of each page, in order of names', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'bob/main', plainPage(1, 10, 0));
    publishPlain(directory, 'ada/main', plainPage(3, 90, 0));
    publishPlain(directory, 'ada/main', plainPage(3, 100, 0));
    const time = 1_700_000_000_000;
    expect(list(directory)).toEqual({
      pages: [
        {
          name: 'ada/main',
          generation: 2,
          time,
          fingerprint: 'a model, f16 1',
          cells: 3,
          bytes: 100 + 16 + 12,
        },
        {
          name: 'bob/main',
          generation: 1,
          time,
          fingerprint: 'a model, f16 1',
          cells: 1,
          bytes: 10 + 8 + 12,
        },
      ],
      damaged: [],
    });
  });

  test('P5 tells of a page that it cannot read, and passes over what is no page', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'ada/main', plainPage(1));
    publishPlain(directory, 'bob/main', plainPage(2));
    writeFileSync(join(directory.path, 'pages', '.hidden'), 'x');
    mkdirSync(join(directory.path, 'pages', 'other'));
    const broken = pagePath(directory.path, folderName('bob/main'));
    const manifest = readFileSync(join(broken, 'manifest'));
    writeFileSync(join(broken, 'manifest'), manifest.subarray(0, -1));
    const { pages, damaged } = list(directory);
    expect(pages.map(({ name }) => name)).toEqual(['ada/main']);
    expect(damaged).toMatchObject([{ path: broken, reason: expect.stringContaining('its header says') }]);
  });

  test('P5 a page that is removed is gone; the next of its name begins anew', () => {
    const directory = plainDirectory();
    publishPlain(directory, 'ada/main', plainPage(1));
    remove(directory, 'ada/main');
    expect(list(directory).pages).toEqual([]);
    expect(thrown(() => readPlain(directory, 'ada/main')).code).toBe('NoSuchPage');
    expect(thrown(() => remove(directory, 'ada/main'))).toMatchObject({
      code: 'NoSuchPage',
      detail: { name: 'ada/main' },
    });
    expect(publishPlain(directory, 'ada/main', plainPage(2)).generation).toBe(1);
  });
});
