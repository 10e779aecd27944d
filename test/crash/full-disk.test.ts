/**
 * Disks that are full: real ones, where a user may make them; and system calls that fail or take less than they were given,
 * where nothing else makes them.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { realDisk } from '../../src/pages/disk.js';
import { pagesPath, stagingPath } from '../../src/pages/layout.js';
import {
  gist,
  newFolder,
  plainDirectory,
  plainPage,
  publishPlain,
  readPlain,
  thrown,
} from '../pages/plain-pages.js';
import { faultyDisk, systemError } from './faulty-disk.js';

const PROGRAM = fileURLToPath(new URL('./full-disk.program.mjs', import.meta.url));
/** A mount that only the program sees, in namespaces of its own. */
const MOUNT = 'mount -t tmpfs -o size=2m,mode=777 tmpfs "$1" && exec "$2" "$3" "$1" "$4"';
const unshared = (command: string, ...args: string[]) =>
  spawnSync('unshare', ['-r', '-m', 'sh', '-c', command, 'sh', ...args], { encoding: 'utf8' });
const mayMount = unshared('mount -t tmpfs tmpfs "$1"', newFolder()).status === 0;

describe.skipIf(!mayMount)('P6 on a disk of two megabytes', () => {
  const onSmallDisk = (what: string): unknown => {
    const { stdout, stderr } = unshared(MOUNT, newFolder(), process.execPath, PROGRAM, what);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };

  test('P6 a page that is larger than what is free is refused with both numbers before anything is written', () => {
    expect(onSmallDisk('too-large')).toEqual({
      code: 'DiskFull',
      detail: { path: expect.any(String), needBytes: expect.any(Number), freeBytes: expect.any(Number) },
      made: 0,
      staged: [],
      old: true,
    });
  });

  test('P6 a disk that is full in the midst of a page: the old generation is whole, nothing stays staged', () => {
    expect(onSmallDisk('fills-up')).toMatchObject({ code: 'DiskFull', made: 2, staged: [], old: true });
  });

  test('P6 when there is room again, the page is written', () => {
    expect(onSmallDisk('room-again')).toMatchObject({ code: 'none', staged: [], old: false });
  });
});

describe('P6 a process that may write no large files', () => {
  test('P6 is told so; the old generation is whole, nothing stays staged', () => {
    const command = 'ulimit -f 64; exec "$1" "$2" "$3" too-long';
    const { stdout } = spawnSync('sh', ['-c', command, 'sh', process.execPath, PROGRAM, newFolder()], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'DiskFailure',
      detail: { operation: 'writing', reason: expect.stringContaining('EFBIG') },
      staged: [],
      old: true,
    });
  });
});

describe('P6 system calls', () => {
  const NAME = 'ada/main';

  test('P6 writes that take one byte at a time are gone on with', () => {
    const disk = faultyDisk(realDisk, ({ operation }) => (operation === 'write' ? 'short' : 'done'));
    const directory = plainDirectory(disk);
    publishPlain(directory, NAME, plainPage(1, 100, 1));
    expect(gist(readPlain(directory, NAME))).toBe(gist(plainPage(1, 100, 1)));
  });

  test('P6 writes that take nothing end', () => {
    const directory = plainDirectory();
    publishPlain(directory, NAME, plainPage(1));
    const disk = { ...realDisk, write: () => 0 };
    expect(thrown(() => publishPlain({ ...directory, disk }, NAME, plainPage(2)))).toMatchObject({
      code: 'DiskFailure',
      detail: { operation: 'writing', reason: 'the system took 0 of 64 bytes and then none' },
    });
    expect(gist(readPlain(directory, NAME))).toBe(gist(plainPage(1)));
  });

  test('P6 every sync that fails is an error, and the page is one whole generation', () => {
    for (let failing = 0, done = false; !done; failing++) {
      const directory = plainDirectory();
      publishPlain(directory, NAME, plainPage(1));
      let syncs = 0;
      const disk = faultyDisk(realDisk, ({ operation }) =>
        operation === 'sync' && syncs++ === failing ? systemError('EIO', 'fsync') : 'done',
      );
      done = true;
      try {
        publishPlain({ ...directory, disk }, NAME, plainPage(2));
      } catch (error) {
        done = false;
        const { code } = error as { code: string };
        expect(['DiskFailure', 'PublicationUnfinished']).toContain(code);
        const is = code === 'DiskFailure' ? plainPage(1) : plainPage(2);
        if (code === 'DiskFailure') expect(readdirSync(stagingPath(directory.path))).toEqual([]);
        expect(gist(readPlain(directory, NAME))).toBe(gist(is));
      }
      expect(readdirSync(pagesPath(directory.path)).length).toBe(1);
    }
  });
});
