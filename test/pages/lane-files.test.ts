/** A lane that goes to a file through a window: the file is that of its page, and what fails leaves no half of one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { EngineLost } from '../../src/errors.js';
import { type SectionData, SectionKind } from '../../src/native/pages.js';
import { HEADER_BYTES } from '../../src/pages/header.js';
import { MANIFEST, pagePath, stagingPath } from '../../src/pages/layout.js';
import { folderName } from '../../src/pages/names.js';
import { PageFiles } from '../../src/pages/page-files.js';
import { PageJobs } from '../../src/pages/page-jobs.js';
import type { Bringing, Piece } from '../../src/pages/pieces.js';
import { Progress } from '../../src/pages/progress.js';
import { addon, feed } from '../native/fixtures.js';
import { failure } from '../runtime/stage.js';
import { context, logitsFrom, read } from './lane.js';
import { newFolder } from './plain-pages.js';

const SOON = { deadlineMs: 60_000 };
/** One page of memory beside what is kept: a lane takes many pieces. */
const SMALL = 2 * 4096;
const transcript = Buffer.from('what was said');
const given: SectionData[] = [
  { kind: SectionKind.tokens, data: new Uint8Array(Int32Array.from(read(1)).buffer) },
  { kind: SectionKind.meta, data: new TextEncoder().encode('page 1') },
];

const jobs = new PageJobs();
afterAll(() => jobs.close());
const opened: PageFiles[] = [];
async function open(path: string): Promise<PageFiles> {
  const files = await PageFiles.open(path, jobs);
  opened.push(files);
  return files;
}
afterEach(async () => {
  context.closeWindow();
  for (const files of opened.splice(0)) await files.close();
  for (const id of addon.pages.list()) addon.pages.release(id);
});

/** The lane as the engine brings it; `before` a piece something may happen. */
const bringing = (before: (piece: Piece, at: number) => void = () => {}): Bringing & { pieces: number } => ({
  pieces: 0,
  open: async () => context.openWindow(0, given, SMALL),
  async fill(piece) {
    before(piece, ++this.pieces);
    context.fillWindow(piece.section, piece.offset, piece.length);
  },
});
const fill = (): void => {
  context.clear(0);
  feed(context, 0, read(1), 0);
};

/** The content of each file of a page, but for its manifest. */
function contentsOf(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder).filter((file) => file !== MANIFEST);
  return new Map(files.map((file) => [file, readFileSync(join(folder, file)).subarray(HEADER_BYTES)]));
}

describe('B4 a lane that is written through a window', () => {
  test('B4 has the files of its page, byte for byte, and comes back from them', async () => {
    fill();
    const path = newFolder();
    const files = await open(path);
    const lane = bringing();
    const progress = new Progress();
    const through = await files.spillLane(
      { name: 'ada/main', transcript, bringing: lane },
      { ...SOON, progress },
    );
    expect(lane.pieces).toBeGreaterThan(5);
    context.closeWindow();
    expect(addon.pages.usage()).toMatchObject({ windows: 0, count: 0 });
    expect(progress.bytes).toBe(through.bytes);

    const page = context.pageOut(0, given);
    const whole = await files.spill({ name: 'ben/main', page, transcript }, SOON);
    expect(through).toMatchObject({ ...whole, name: 'ada/main', time: through.time });
    const [one, other] = ['ada/main', 'ben/main'].map((name) => contentsOf(pagePath(path, folderName(name))));
    expect(one).toEqual(other);

    const restored = await files.restore({ name: 'ada/main' }, SOON);
    expect(logitsFrom(restored.page)).toEqual(logitsFrom(page));
  });

  test.each<[string, (piece: Piece, at: number) => void, string]>([
    [
      'whoever brings it is lost',
      (_, at) => {
        if (at === 3) throw new EngineLost({ reason: 'a test' });
      },
      'EngineLost',
    ],
    ['the lane goes on', (_, at) => void (at === 3 && feed(context, 0, [9], 0)), 'BadArgument'],
    ['the window is closed', (_, at) => void (at === 3 && context.closeWindow()), 'BadArgument'],
  ])('B4 leaves what was on disk, and nothing staged, where %s', async (_, before, code) => {
    fill();
    const path = newFolder();
    const files = await open(path);
    await files.spillLane({ name: 'ada/main', transcript, bringing: bringing() }, SOON);
    const spilled = files.spillLane({ name: 'ada/main', transcript, bringing: bringing(before) }, SOON);
    expect(await failure(spilled)).toMatchObject({ code });
    context.closeWindow();
    expect(addon.pages.usage()).toMatchObject({ windows: 0, count: 0 });
    expect(await files.list()).toMatchObject({ pages: [{ name: 'ada/main', generation: 1 }] });
    expect(readdirSync(stagingPath(path))).toEqual([]);
    expect(context.length(0)).toBeGreaterThanOrEqual(read(1).length);
  });

  test('B4 is stopped between two pieces', async () => {
    fill();
    const path = newFolder();
    const files = await open(path);
    const progress = new Progress();
    const lane = bringing((_, at) => void (at === 3 && progress.stop()));
    const spilled = files.spillLane({ name: 'ada/main', transcript, bringing: lane }, { ...SOON, progress });
    expect(await failure(spilled)).toMatchObject({ code: 'Aborted' });
    expect([lane.pieces, readdirSync(stagingPath(path)), (await files.list()).pages]).toEqual([3, [], []]);
  });
});
