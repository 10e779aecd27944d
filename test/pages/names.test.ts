import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPageName, folderName, isFolderName } from '../../src/pages/names.js';
import { gist, plainDirectory, plainPage, publishPlain, readPlain, thrown } from './plain-pages.js';

const odd = [
  '../../etc/passwd',
  '/',
  '.',
  '..',
  'con',
  'a\0b',
  'a\nb',
  ' ',
  'ada/main ',
  'Ada/main',
  'é',
  'e\u0301',
  '\ud800',
  '\udc00',
  '🎭/main',
  'x'.repeat(1_024),
];

describe('P6 names of pages', () => {
  test('P6 each has a folder of its own, also on a disk that tells no upper from lower case', () => {
    const folders = odd.map((name) => folderName(name).toLowerCase().normalize('NFC'));
    expect(new Set(folders).size).toBe(odd.length);
  });

  test('P6 any name is a short name of plain characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 1_024 }), (name) => {
        const folder = folderName(name);
        expect(folder.length).toBeLessThanOrEqual(73);
        expect(isFolderName(folder)).toBe(true);
      }),
    );
  });

  test('P6 any name is found again, and is the name that the list says', () => {
    const directory = plainDirectory();
    odd.forEach((name, i) => void publishPlain(directory, name, plainPage(i, 10, 0)));
    odd.forEach((name, i) => void expect(gist(readPlain(directory, name))).toBe(gist(plainPage(i, 10, 0))));
  });

  test.each([[''], ['x'.repeat(1_025)], [undefined], [7]])('P6 refuses %j', (name) => {
    expect(thrown(() => checkPageName(name))).toMatchObject({
      code: 'BadArgument',
      detail: { argument: 'name' },
    });
  });
});
