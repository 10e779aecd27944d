import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildNative, nativeIsCurrent } from '../../native/build.mjs';
import { cacheFolder, publish, withLock } from '../../native/llama/cache.mjs';
import { llamaSource } from '../../native/llama/source.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const silent = () => {};
const lockPath = () => join(folder, 'build.lock');
const LONG_AGO = new Date(Date.now() - 3_600_000);

describe('R1 the library cache', () => {
  it('R1 is where the environment says', () => {
    expect(cacheFolder({ TROUPE_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/troupe');
    expect(cacheFolder({})).toMatch(/\.cache\/troupe$/);
  });

  it('R1 publishes a folder whole', async () => {
    const target = join(folder, 'a', 'b');
    await publish(target, async (part) => writeFileSync(join(part, 'file'), 'x'));
    expect(readdirSync(target)).toEqual(['file']);
    expect(readdirSync(join(folder, 'a'))).toEqual(['b']);
  });

  it('R1 leaves nothing of a folder that failed half way', async () => {
    const failing = publish(join(folder, 'b'), async (part) => {
      writeFileSync(join(part, 'file'), 'x');
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('R1 lets one build at a time in, and says who waits', async () => {
    let inside = 0;
    const said: string[] = [];
    const build = () =>
      withLock(
        folder,
        (line) => said.push(line),
        async () => {
          inside++;
          await sleep(30);
          expect(inside).toBe(1);
          inside--;
        },
      );
    await Promise.all([build(), build(), build()]);
    expect(said.filter((line) => line.includes('waiting')).length).toBe(2);
    expect(existsSync(lockPath())).toBe(false);
  });

  it('R1 gives its lock back when the work fails', async () => {
    await expect(withLock(folder, silent, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(lockPath())).toBe(false);
  });

  it.each([
    ['a process that has ended', JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }), new Date()],
    ['another machine, not renewed for an hour', JSON.stringify({ pid: 1, host: 'elsewhere' }), LONG_AGO],
    ['nobody, unreadable and old', '', LONG_AGO],
  ])('R1 is not blocked by the lock of %s', async (_whose, text, time) => {
    writeFileSync(lockPath(), text);
    utimesSync(lockPath(), time, time);
    expect(await withLock(folder, silent, async () => 'in')).toBe('in');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('R1 the source of llama.cpp', () => {
  it('R1 is refused when the tarball is another, and nothing of it stays', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const npm = join(bin, 'npm');
    writeFileSync(
      npm,
      '#!/bin/sh\nwhile [ "$1" != --pack-destination ]; do shift; done\necho x >"$2/node-llama-cpp-3.22.1.tgz"\n',
    );
    chmodSync(npm, 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${bin}${delimiter}${path}`;
    try {
      await expect(llamaSource(join(folder, 'cache'), silent)).rejects.toThrow('sha512');
    } finally {
      process.env.PATH = path;
    }
    expect(readdirSync(join(folder, 'cache', 'downloads'))).toEqual([]);
  });
});

describe('R1 the build', () => {
  it('R1 has nothing to do a second time, and knows it quickly', async () => {
    const said: string[] = [];
    await buildNative({ say: (line) => said.push(line) });
    said.length = 0;
    const start = performance.now();
    expect((await buildNative({ say: (line) => said.push(line) })).built).toBe(false);
    expect(performance.now() - start).toBeLessThan(500);
    expect(said).toEqual([]);
    expect(nativeIsCurrent()).toBe(true);
    expect(nativeIsCurrent(['-DGGML_OTHER=ON'])).toBe(false);
  });
});
