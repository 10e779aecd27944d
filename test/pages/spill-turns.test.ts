/** Spills of different pages, which share a thread: one that is called off while another has it never begins. */
import { expect, test } from 'vitest';
import { PageFiles, type PageJobOptions } from '../../src/pages/page-files.js';
import type { PageWork } from '../../src/pages/page-jobs.js';

const transcript = new Uint8Array();
const bringing = { open: () => new Promise<never>(() => {}), fill: async () => {} };
const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Files whose jobs go on until they are told to end; `begun`: what they are, in order. */
async function held() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const take = (job: { readonly what: string; readonly name?: string }): Promise<unknown> => {
    if (job.what === 'open') return Promise.resolve({ owned: { path: '/pages', lock: 1 }, damaged: [] });
    begun.push(`${job.what} ${job.name}`);
    return new Promise((resolve) => ends.push(() => resolve(job.name)));
  };
  const work = { run: take, runWith: take, close: async () => {} };
  const files = await PageFiles.open('/pages', work as unknown as PageWork);
  /** The first of the jobs that have begun ends. */
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await turns();
  };
  return { files, begun, end };
}

const SOON: PageJobOptions = { deadlineMs: 60_000 };
const pageOf = (name: string) => ({ name, page: 1, transcript });
const laneOf = (name: string) => ({ name, transcript, bringing });

test('R5 a spill that is called off behind one of another page ends at once, and never begins', async () => {
  const { files, begun, end } = await held();
  const late = new AbortController();
  const first = files.spill(pageOf('ada/main'), SOON);
  const waits = [files.spill(pageOf('ben/main'), { ...SOON, signal: late.signal })];
  waits.push(files.spill(pageOf('cal/main'), { ...SOON, signal: late.signal }));
  const last = files.spill(pageOf('dan/main'), SOON);
  await turns();
  late.abort(new Error('late'));
  for (const wait of waits) await expect(wait).rejects.toThrow('late');
  expect(begun).toEqual(['spill ada/main']);
  await end();
  expect(begun).toEqual(['spill ada/main', 'spill dan/main']);
  await end();
  expect(await Promise.all([first, last])).toEqual(['ada/main', 'dan/main']);
});

test('P5 B4 what reads a page, and a lane on its way out, wait for no spill of another', async () => {
  const { files, begun, end } = await held();
  const spill = files.spill(pageOf('ada/main'), SOON);
  const restored = files.restore({ name: 'ben/main' }, SOON);
  const lane = files.spillLane(laneOf('cal/main'), SOON);
  await turns();
  expect(new Set(begun)).toEqual(new Set(['spill ada/main', 'restore ben/main', 'spill-lane cal/main']));
  for (let i = 0; i < 3; i++) await end();
  await Promise.all([spill, restored, lane]);
});

test('P5 what was asked for on a page that waits to be written comes after that', async () => {
  const { files, begun, end } = await held();
  const jobs = [files.spill(pageOf('ada/main'), SOON), files.spill(pageOf('ben/main'), SOON)];
  const restored = files.restore({ name: 'ben/main' }, SOON);
  await turns();
  expect(begun).toEqual(['spill ada/main']);
  await end();
  expect(begun).toEqual(['spill ada/main', 'spill ben/main']);
  await end();
  expect(begun).toEqual(['spill ada/main', 'spill ben/main', 'restore ben/main']);
  await end();
  await Promise.all([...jobs, restored]);
});
