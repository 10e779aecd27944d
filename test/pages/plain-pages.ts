/**
 * Pages in plain buffers, and folders of them: what the tests of page files publish and read.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll } from 'vitest';
import type { Directory } from '../../src/pages/directory.js';
import { type Disk, realDisk, syncFolder } from '../../src/pages/disk.js';
import { pagesPath, stagingPath } from '../../src/pages/layout.js';
import type { Manifest } from '../../src/pages/manifest.js';
import { publish } from '../../src/pages/publish.js';
import { read } from '../../src/pages/read.js';
import type { PageSource, PageTarget } from '../../src/pages/source.js';

export interface Section {
  readonly kind: number;
  readonly data: Uint8Array;
}

export interface PlainPage {
  readonly fingerprint: string;
  readonly cells: number;
  readonly sections: readonly Section[];
}

/** A page that tells its number and its size: no two of them are alike. */
export function plainPage(number: number, kv = 1_000, checkpoints = 1): PlainPage {
  const bytes = (length: number, seed: number) =>
    Uint8Array.from(
      { length },
      (_, i) => (Math.imul(i + 1, 2654435761) ^ Math.imul(number + seed, 40503)) >>> 11,
    );
  return {
    fingerprint: `a model, f16 ${number % 2}`,
    cells: number,
    sections: [
      { kind: 1, data: bytes(kv, 1) },
      { kind: 2, data: bytes(4 * number + 4, 2) },
      { kind: 3, data: new TextEncoder().encode(JSON.stringify({ number })) },
      ...Array.from({ length: checkpoints }, (_, i) => ({ kind: 4, data: bytes(50 + i, 3 + i) })),
    ],
  };
}

export function sourceOf({ fingerprint, cells, sections }: PlainPage, disk: Disk): PageSource {
  const part = (section: number, offset: number, length: number) =>
    (sections[section] as Section).data.subarray(offset, offset + length);
  return {
    layout: {
      fingerprint,
      cells,
      sections: sections.map(({ kind, data }) => ({ kind, bytes: data.length })),
    },
    checksum: (section, offset, length, before) => crc32(part(section, offset, length), before),
    write: (file, section, offset, length) => disk.write(file, part(section, offset, length), null),
  };
}

/** A folder that these tests own; nobody else claims anything in it. */
export function plainDirectory(disk: Disk = realDisk, path = newFolder()): Directory {
  for (const folder of [path, pagesPath(path), stagingPath(path)]) {
    try {
      disk.makeFolder(folder);
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
  }
  for (const folder of [path, dirname(path)]) syncFolder(disk, folder);
  const claims = new Set<string>();
  const claim = (_lock: number, name: string) => !claims.has(name) && claims.add(name).has(name);
  return { path, lock: 1, disk, files: { claim, unclaim: (_lock, name) => void claims.delete(name) } };
}

/** Where a sync costs nothing, so that tests can make many. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(root = ROOT): string {
  const folder = mkdtempSync(join(root, 'troupe-pages-'));
  made.push(folder);
  return folder;
}

export const publishPlain = (directory: Directory, name: string, page: PlainPage): Manifest =>
  publish(directory, name, sourceOf(page, directory.disk), 1_700_000_000_000, () => {});

/** What is on disk. `begun`: hears of every target that was made, and of what became of it. */
export function readPlain(directory: Directory, name: string, begun: string[] = []): PlainPage {
  let page: PlainPage | undefined;
  read(
    directory,
    name,
    ({ fingerprint, cells, sections }): PageTarget => {
      begun.push('made');
      const filled = sections.map(({ kind, bytes }) => ({ kind, data: new Uint8Array(bytes) }));
      const part = (section: number, offset: number, length: number) =>
        (filled[section] as Section).data.subarray(offset, offset + length);
      return {
        checksum: (section, offset, length, before) => crc32(part(section, offset, length), before),
        read: (file, section, offset, length) => directory.disk.read(file, part(section, offset, length)),
        seal: () => {
          begun.push('sealed');
          page = { fingerprint, cells, sections: filled };
          return 1;
        },
        discard: () => void begun.push('discarded'),
      };
    },
    () => {},
  );
  return page as PlainPage;
}

/** What `attempt` throws. */
export function thrown(attempt: () => unknown): {
  code?: string;
  message: string;
  detail?: Record<string, unknown>;
} {
  try {
    attempt();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not throw');
}

/** A page in few words, to be compared. */
export const gist = ({ fingerprint, cells, sections }: PlainPage): string =>
  [fingerprint, cells, ...sections.map(({ kind, data }) => `${kind}:${data.length}:${crc32(data)}`)].join(
    ' ',
  );
