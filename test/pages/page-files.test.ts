import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { pagePath } from '../../src/pages/layout.js';
import { folderName } from '../../src/pages/names.js';
import { PageFiles } from '../../src/pages/page-files.js';
import { PageJobs } from '../../src/pages/page-jobs.js';
import { Progress } from '../../src/pages/progress.js';
import { addon } from '../native/fixtures.js';
import { failure } from '../runtime/stage.js';
import { logitsFrom, metaOf, realPage } from './lane.js';
import { newFolder } from './plain-pages.js';

const PROGRAM = fileURLToPath(new URL('./restore.program.mjs', import.meta.url));
const SOON = { deadlineMs: 60_000 };
const NOTHING_SAID = new Uint8Array();
const jobs = new PageJobs();
afterAll(() => jobs.close());

const opened: PageFiles[] = [];
async function open(path = newFolder()): Promise<PageFiles> {
  const files = await PageFiles.open(path, jobs);
  opened.push(files);
  return files;
}
afterEach(async () => {
  for (const files of opened.splice(0)) await files.close();
  for (const id of addon.pages.list()) addon.pages.release(id);
});

/** How nice each thread of this process is, or one of them; see proc(5), the 19th field. */
const priorities = (...threads: number[]): number[] =>
  (threads.length > 0 ? threads : readdirSync('/proc/self/task')).map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });

describe('P5 spill and restore', () => {
  test('P5 a page that was on disk goes on bit for bit; the charge is what it was', async () => {
    const files = await open();
    const page = realPage(1);
    const { bytes } = addon.pages.usage();
    const expected = logitsFrom(page);
    const spilled = await files.spill({ name: 'ada/main', page, transcript: NOTHING_SAID }, SOON);
    addon.pages.release(page);
    const restored = await files.restore({ name: 'ada/main' }, SOON);
    expect(restored).toMatchObject({ ...spilled, charged: bytes });
    expect(addon.pages.usage().bytes).toBe(bytes);
    expect(metaOf(restored.page)).toBe('page 1');
    expect(logitsFrom(restored.page)).toEqual(expected);
  });

  test('P5 the page stays in memory, and nothing of it stays held', async () => {
    const files = await open();
    const page = realPage(2);
    const progress = new Progress();
    const { bytes } = await files.spill(
      { name: 'ada/main', page, transcript: NOTHING_SAID },
      { ...SOON, progress },
    );
    expect(progress.bytes).toBe(bytes);
    expect(addon.pages.info(page)?.references).toBe(1);
  });

  test('P5 the transcript comes back with it, and is no part of the page in memory', async () => {
    const files = await open();
    const page = realPage(3);
    const transcript = Buffer.from('what was said');
    await files.spill({ name: 'ada/main', page, transcript }, SOON);
    const restored = await files.restore({ name: 'ada/main' }, SOON);
    expect(Buffer.from(restored.transcript)).toEqual(transcript);
    expect(addon.pages.info(restored.page)?.sections).toEqual(addon.pages.info(page)?.sections);
  });

  test.skipIf(process.platform !== 'linux')(
    'P8 a thread that spills has the lowest priority, and no other',
    async () => {
      const files = await open();
      await files.spill({ name: 'ada/main', page: realPage(13), transcript: NOTHING_SAID }, SOON);
      await files.restore({ name: 'ada/main' }, SOON);
      expect(priorities().filter((nice) => nice !== priorities(process.pid)[0])).toEqual([19]);
    },
  );

  test('P5 jobs on one page run in the order in which they were asked for', async () => {
    const files = await open();
    const pages = [realPage(6), realPage(7)] as const;
    const [, first, , second, , gone] = await Promise.all([
      files.spill({ name: 'ada/main', page: pages[0], transcript: NOTHING_SAID }, SOON),
      files.restore({ name: 'ada/main' }, SOON),
      files.spill({ name: 'ada/main', page: pages[1], transcript: NOTHING_SAID }, SOON),
      files.restore({ name: 'ada/main' }, SOON),
      files.remove('ada/main'),
      failure(files.restore({ name: 'ada/main' }, SOON)),
    ]);
    expect([metaOf(first.page), metaOf(second.page)]).toEqual(['page 6', 'page 7']);
    expect(gone).toMatchObject({ code: 'NoSuchPage', detail: { name: 'ada/main' } });
  });

  test('P5 another process goes on from it bit for bit', async () => {
    const path = newFolder();
    const files = await open(path);
    const page = realPage(8);
    await files.spill({ name: 'ada/main', page, transcript: NOTHING_SAID }, SOON);
    await files.close();
    opened.pop();
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, path], { encoding: 'utf8' });
    const expected = logitsFrom(page).map((logits) => Buffer.from(logits.buffer).toString('base64'));
    if (stdout === '') throw new Error(stderr);
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});

describe('P5 refusals', () => {
  test('P5 a page that is not there, on disk or in memory', async () => {
    const files = await open();
    expect(await failure(files.restore({ name: 'ada/main' }, SOON))).toMatchObject({ code: 'NoSuchPage' });
    expect(await failure(files.remove('ada/main'))).toMatchObject({ code: 'NoSuchPage' });
    const spill = files.spill({ name: 'ada/main', page: 1e9, transcript: NOTHING_SAID }, SOON);
    expect(await failure(spill)).toMatchObject({ code: 'NoSuchPage' });
    expect((await files.list()).pages).toEqual([]);
  });

  test('P6 a page with a bit that is another than it was: nothing of it stays in memory', async () => {
    const path = newFolder();
    const files = await open(path);
    const page = realPage(9);
    await files.spill({ name: 'ada/main', page, transcript: NOTHING_SAID }, SOON);
    addon.pages.release(page);
    const kv = join(pagePath(path, folderName('ada/main')), '0-kv');
    const bytes = readFileSync(kv);
    bytes.writeUInt8((bytes[5_000] as number) ^ 16, 5_000);
    writeFileSync(kv, bytes);
    expect(await failure(files.restore({ name: 'ada/main' }, SOON))).toMatchObject({
      code: 'PageCorrupt',
      detail: { what: kv },
    });
    expect(addon.pages.usage()).toMatchObject({ bytes: 0, count: 0 });
  });

  test('P4 over the ceiling: nothing of it is read', async () => {
    const files = await open();
    const page = realPage(10);
    await files.spill({ name: 'ada/main', page, transcript: NOTHING_SAID }, SOON);
    addon.pages.release(page);
    addon.pages.setCeiling(1_000);
    const refusal = await failure(files.restore({ name: 'ada/main' }, SOON));
    addon.pages.setCeiling(Number.POSITIVE_INFINITY);
    expect(refusal).toMatchObject({ code: 'OverCeiling', detail: { usedBytes: 0, ceilingBytes: 1_000 } });
  });

  test('P5 past its deadline, or stopped, a spill leaves the page on disk and in memory as they were', async () => {
    const files = await open();
    const page = realPage(11);
    await files.spill({ name: 'ada/main', page, transcript: NOTHING_SAID }, SOON);
    const stopped = new Progress();
    stopped.stop();
    const spill = { name: 'ada/main', page: realPage(12), transcript: NOTHING_SAID };
    expect(await failure(files.spill(spill, { ...SOON, progress: stopped }))).toMatchObject({
      code: 'Aborted',
    });
    expect(await failure(files.spill(spill, { deadlineMs: 0 }))).toMatchObject({ code: 'DeadlineExceeded' });
    expect(addon.pages.list()).toEqual([page, spill.page]);
    expect((await files.list()).pages).toMatchObject([{ name: 'ada/main', generation: 1 }]);
  });

  test('P6 a folder that is in use; it is free when it is closed', async () => {
    const path = newFolder();
    const files = await open(path);
    expect(await failure(PageFiles.open(path, jobs))).toMatchObject({
      code: 'DirectoryInUse',
      detail: { dir: path },
    });
    await files.close();
    opened.pop();
    await open(path);
  });

  test('P5 names and numbers that are none', async () => {
    const files = await open();
    expect(await failure(files.spill({ name: '', page: 1, transcript: NOTHING_SAID }, SOON))).toMatchObject({
      code: 'BadArgument',
    });
    expect(await failure(files.restore({ name: 'x'.repeat(2_000) }, SOON))).toMatchObject({
      code: 'BadArgument',
    });
    expect(await failure(files.remove(''))).toMatchObject({ code: 'BadArgument' });
  });
});
