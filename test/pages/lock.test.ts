import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { loadAddon } from '../../src/native/load.js';
import { lockDirectory } from '../../src/pages/lock.js';
import { othersFolder } from './others-folder.js';
import { newFolder, thrown } from './plain-pages.js';

const PROGRAM = fileURLToPath(new URL('./lock.program.mjs', import.meta.url));
const { files } = loadAddon();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Another process that holds the folder. */
async function holder(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

describe('P6 the lock of a folder', () => {
  test('P6 a second process is refused with who holds it', async () => {
    const path = newFolder();
    const child = await holder(path);
    const refusal = thrown(() => lockDirectory(path, files));
    expect(refusal.code).toBe('DirectoryInUse');
    expect(refusal.message).toMatch(
      new RegExp(`${path} belongs to process ${child.pid} .*lock.program.mjs.*, since 20`),
    );
  });

  test('P6 a folder is free as soon as its holder was killed, or gave it up', async () => {
    const path = newFolder();
    const child = await holder(path);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const again = await holder(path);
    again.stdin?.write('end\n');
    await once(again.stdout as NodeJS.ReadableStream, 'data');
    files.unlock(lockDirectory(path, files).lock);
  });

  test('P6 the rest of the same process is refused too', () => {
    const path = newFolder();
    const { lock } = lockDirectory(path, files);
    expect(thrown(() => lockDirectory(path, files)).message).toContain('belongs to this process, since 20');
    files.unlock(lock);
    files.unlock(lockDirectory(path, files).lock);
  });

  test('P6 a lock file that somebody has closed, or left behind, locks as before', () => {
    const path = newFolder();
    writeFileSync(join(path, 'lock'), '{"pid":1,"since":"then"');
    const { lock } = lockDirectory(path, files);
    readFileSync(join(path, 'lock'));
    expect(thrown(() => lockDirectory(path, files)).code).toBe('DirectoryInUse');
    files.unlock(lock);
  });

  test('P6 what is no folder is refused', () => {
    const path = join(newFolder(), 'file');
    writeFileSync(path, '');
    expect(thrown(() => lockDirectory(path, files)).code).toBe('DiskFailure');
  });

  test('P6 a link is refused, wherever it leads, and so is the folder of another user; nothing is written there', () => {
    const place = newFolder();
    const target = newFolder();
    const link = join(place, 'pages');
    symlinkSync(target, link);
    for (const path of [link, `${link}/`]) {
      const refusal = thrown(() => lockDirectory(path, files));
      expect(refusal.code).toBe('FolderNotOwn');
      expect(refusal.message).toContain(`a link to ${target}; name the folder that it leads to`);
    }
    expect(readdirSync(target)).toEqual([]);
    const other = othersFolder();
    const before = readdirSync(other);
    const refusal = thrown(() => lockDirectory(other, files));
    expect(refusal).toMatchObject({ code: 'FolderNotOwn', message: expect.stringContaining('another user') });
    expect(readdirSync(other)).toEqual(before);
    // What lies beyond a link is a folder as any.
    files.unlock(lockDirectory(join(link, 'inside'), files).lock);
  });

  test('P6 numbers that name no lock are refused', () => {
    for (const lock of [0, -1, 1.5, 4_000_000, Number.NaN]) {
      expect(thrown(() => files.unlock(lock)).code).toBe('BadArgument');
      expect(thrown(() => files.claim(lock, 'x')).code).toBe('BadArgument');
    }
  });
});

describe('P6 the claim of a page', () => {
  test('P6 belongs to one of all threads, and ends with its thread', async () => {
    const path = newFolder();
    const { lock } = lockDirectory(path, files);
    const thread = new Worker(
      `const { loadAddon } = await import(${JSON.stringify(new URL('../../dist/native/load.js', import.meta.url).href)});
       const { parentPort, workerData } = await import('node:worker_threads');
       parentPort.postMessage(loadAddon().files.claim(workerData, 'a'));
       setInterval(() => {}, 1000);`,
      { eval: true, workerData: lock, execArgv: ['--input-type=module'] },
    );
    expect(await once(thread, 'message')).toEqual([true]);
    expect(files.claim(lock, 'a')).toBe(false);
    expect(files.claim(lock, 'b')).toBe(true);
    await thread.terminate();
    expect(files.claim(lock, 'a')).toBe(true);
    files.unlock(lock);
  });
});
