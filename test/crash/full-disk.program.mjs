// Publishes pages in the folder that it is given, which is on a small disk, or under a limit on the size of files; prints
// what came of it.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { loadAddon } from '../../dist/native/load.js';
import { pagesPath, stagingPath } from '../../dist/pages/layout.js';
import { lockDirectory } from '../../dist/pages/lock.js';
import { publish } from '../../dist/pages/publish.js';
import { read } from '../../dist/pages/read.js';

const NAME = 'ada/main';
const [, , path, what] = process.argv;
const directory = lockDirectory(path, loadAddon().files);

function page(bytes) {
  const data = Buffer.alloc(bytes, 'page');
  return {
    layout: { fingerprint: '', cells: 1, sections: [{ kind: 1, bytes }] },
    checksum: (_, offset, length, before) => crc32(data.subarray(offset, offset + length), before),
    write: (file, _, offset, length) =>
      directory.disk.write(file, data.subarray(offset, offset + length), null),
  };
}

const OLD = 10_000;
const NEW = what === 'too-large' ? 3_000_000 : 1_000_000;
let made = 0;
const counting = {
  ...directory,
  disk: {
    ...directory.disk,
    open: (file, flags) => {
      if (flags === 'wx') made++;
      return directory.disk.open(file, flags);
    },
    freeBytes: (at) => (what === 'fills-up' ? 2 ** 40 : directory.disk.freeBytes(at)),
  },
};

publish(directory, NAME, page(OLD), 0, () => {});
const filler = join(path, 'filler');
// Leaves room for a section, not for two.
if (what === 'fills-up') writeFileSync(filler, Buffer.alloc(directory.disk.freeBytes(path) - 500_000));
if (what === 'room-again') writeFileSync(filler, Buffer.alloc(1_900_000));
let outcome = { code: 'none' };
for (const attempt of what === 'room-again' ? [1, 2] : [1]) {
  if (attempt === 2) rmSync(filler);
  try {
    const source = what === 'fills-up' ? twoSections(400_000) : page(NEW);
    publish(counting, NAME, source, 0, () => {});
    outcome = { code: 'none' };
  } catch ({ code, detail }) {
    outcome = { code, detail };
  }
}

function twoSections(bytes) {
  const { layout, ...rest } = page(bytes);
  return {
    layout: {
      ...layout,
      sections: [
        { kind: 1, bytes },
        { kind: 4, bytes },
      ],
    },
    ...rest,
  };
}

let size = 0;
read(
  directory,
  NAME,
  ({ sections }) => {
    const data = Buffer.alloc(sections[0].bytes);
    size = data.length;
    return {
      checksum: (_, offset, length, before) => crc32(data.subarray(offset, offset + length), before),
      read: (file, _, offset, length) => directory.disk.read(file, data.subarray(offset, offset + length)),
      seal: () => 1,
      discard: () => {},
    };
  },
  () => {},
);
const staged = readdirSync(stagingPath(path));
const pages = readdirSync(pagesPath(path)).length;
process.stdout.write(JSON.stringify({ ...outcome, made, staged, old: size === OLD && pages === 1 }));
