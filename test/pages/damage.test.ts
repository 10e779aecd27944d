import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Directory } from '../../src/pages/directory.js';
import { decodeHeader, encodeHeader, type FileHeader, HEADER_BYTES } from '../../src/pages/header.js';
import { pagePath, stagePath } from '../../src/pages/layout.js';
import { folderName } from '../../src/pages/names.js';
import { list } from '../../src/pages/read.js';
import { recover } from '../../src/pages/recover.js';
import { gist, plainDirectory, plainPage, publishPlain, readPlain, thrown } from './plain-pages.js';

const NAME = 'ada/main';
const PAGE = plainPage(1, 60, 1);

function published(): { directory: Directory; folder: string } {
  const directory = plainDirectory();
  publishPlain(directory, NAME, PAGE);
  return { directory, folder: pagePath(directory.path, folderName(NAME)) };
}

/** Changes a file's header into another one, whole in itself. */
function restate(file: string, change: Partial<FileHeader>): void {
  const bytes = readFileSync(file);
  const header = decodeHeader(bytes);
  if (typeof header === 'string') throw new Error(header);
  bytes.set(encodeHeader({ ...header, ...change }));
  writeFileSync(file, bytes);
}

describe('P6 damage to a page', () => {
  test('P6 any bit of any of its files that is another than it was is found; nothing of it is kept', () => {
    const { directory, folder } = published();
    const files = readdirSync(folder);
    expect(files.length).toBe(5);
    for (const file of files) {
      const path = `${folder}/${file}`;
      const whole = readFileSync(path);
      for (let at = 0; at < whole.length; at++) {
        const changed = Buffer.from(whole);
        changed.writeUInt8((whole[at] as number) ^ (1 << (at % 8)), at);
        writeFileSync(path, changed);
        const begun: string[] = [];
        const { code, message } = thrown(() => readPlain(directory, NAME, begun));
        expect(code, `${file} ${at}`).toBe('PageCorrupt');
        expect(message).toContain(file);
        expect(begun).not.toContain('sealed');
        expect(begun.filter((what) => what === 'discarded').length).toBe(begun.length / 2);
      }
      writeFileSync(path, whole);
    }
    expect(gist(readPlain(directory, NAME))).toBe(gist(PAGE));
  });

  test('P6 a file that is shorter, longer or not there is found before memory is taken', () => {
    const { directory, folder } = published();
    for (const file of readdirSync(folder)) {
      const path = `${folder}/${file}`;
      const whole = readFileSync(path);
      for (const bytes of [0, 1, HEADER_BYTES - 1, HEADER_BYTES, whole.length - 1, whole.length + 1]) {
        truncateSync(path, bytes);
        const begun: string[] = [];
        expect(thrown(() => readPlain(directory, NAME, begun)).code, `${file} ${bytes}`).toBe('PageCorrupt');
        expect(begun).toEqual([]);
        writeFileSync(path, whole);
      }
      if (file === 'manifest') continue;
      rmSync(path);
      expect(thrown(() => readPlain(directory, NAME))).toMatchObject({
        code: 'PageCorrupt',
        detail: { reason: 'it is not there' },
      });
      writeFileSync(path, whole);
    }
  });

  test.each<[string, Partial<FileHeader>]>([
    ['of another publication', { publication: '0123456789abcdef' }],
    ['of another kind', { kind: 3 }],
    ['of another place', { index: 1 }],
  ])('P6 a section %s is not taken for one of the page', (_, change) => {
    const { directory, folder } = published();
    restate(`${folder}/0-kv`, change);
    expect(thrown(() => readPlain(directory, NAME))).toMatchObject({
      code: 'PageCorrupt',
      detail: { reason: 'its header is not what the manifest says' },
    });
  });

  test('P6 a page under the name of another is not taken for it', () => {
    const { directory, folder } = published();
    const other = pagePath(directory.path, folderName('bob/main'));
    renameSync(folder, other);
    expect(thrown(() => readPlain(directory, 'bob/main')).message).toContain('it is the page of "ada/main"');
    expect(list(directory)).toMatchObject({ pages: [], damaged: [{ path: other }] });
  });

  test('P6 a page that cannot be read is replaced by the next spill of its name', () => {
    const { directory, folder } = published();
    truncateSync(`${folder}/manifest`, 10);
    publishPlain(directory, NAME, plainPage(2));
    expect(gist(readPlain(directory, NAME))).toBe(gist(plainPage(2)));
  });

  test('P6 a record that is damaged is discarded, and the old generation is there', () => {
    const { directory, folder } = published();
    const stage = stagePath(directory.path, folderName(NAME));
    renameSync(folder, stage);
    publishPlain(plainDirectory(directory.disk, directory.path), 'bob/main', plainPage(2));
    truncateSync(`${stage}/manifest`, statSync(`${stage}/manifest`).size - 1);
    expect(recover(directory)).toEqual([]);
    expect(existsSync(stage)).toBe(false);
    expect(list(directory).pages.map(({ name }) => name)).toEqual(['bob/main']);
  });

  test('B1 a publication that was cut short after its record is listed, as the next reader finds it', () => {
    const { directory, folder } = published();
    renameSync(folder, stagePath(directory.path, folderName(NAME)));
    const listed = list(directory);
    expect(listed.pages.map(({ name }) => name)).toEqual([NAME]);
    expect(readPlain(directory, NAME)).toBeDefined();
    expect(list(directory)).toEqual(listed);
  });
});

describe('P6 a page of a newer program', () => {
  test('P6 is neither read nor replaced nor recovered nor thrown away', () => {
    const { directory, folder } = published();
    const bytes = readFileSync(`${folder}/manifest`);
    bytes.writeUInt32LE(2, 8);
    bytes.set(newerHeader(bytes));
    writeFileSync(`${folder}/manifest`, bytes);
    const refusal = { code: 'PageMismatch', detail: { field: 'file format version', page: '2', here: '1' } };
    expect(thrown(() => readPlain(directory, NAME))).toMatchObject(refusal);
    expect(thrown(() => publishPlain(directory, NAME, plainPage(2)))).toMatchObject(refusal);
    const stage = stagePath(directory.path, folderName(NAME));
    renameSync(folder, stage);
    expect(recover(directory)).toMatchObject([
      { reason: expect.stringContaining('version is 2, and here it is 1') },
    ]);
    expect(readdirSync(stage).length).toBe(5);
  });
});

/** The same header with the sum that it would have. */
function newerHeader(bytes: Uint8Array): Uint8Array {
  const header = Buffer.from(bytes.subarray(0, HEADER_BYTES));
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_BYTES - 4)), HEADER_BYTES - 4);
  return header;
}
