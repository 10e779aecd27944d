/**
 * 200 minds on 4 lanes with genes for 3, while pressure rises and falls, some are cut short, some leave, and threads are
 * lost. Every turn ends as it may, what nothing was done to says what it says alone, and in the end nobody holds anything.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MemoryReport, Troupe, TroupeOptions } from '../../src/index.js';
import { THREAD_RESTARTS } from '../../src/runtime/defaults.js';
import { folder, startTroupe, systemOf, threadOf, until } from '../face/stage.js';
import { addon } from '../native/fixtures.js';
import { createForeseer } from './certain.js';
import { Crowd } from './crowd.js';
import { writeGenes } from './genes.js';
import { atRest, booked, comesToBe } from './ledger.js';
import { Neighbour } from './neighbour.js';
import { Onlooker } from './onlooker.js';
import { type Story, tellAlone, writeStories } from './stories.js';

/** Another one, or longer: `TROUPE_SEED`, `TROUPE_SOAK`. */
const SEED = Number(process.env.TROUPE_SEED ?? 1);
const ROUNDS = process.env.TROUPE_SOAK === undefined ? 1 : 10;
/** For a whole round and what comes after it, on a machine that has much else to do. */
const ROUND_MS = 240_000;
/** The last turns end in a moment. */
const SETTLE_MS = 30_000;
const MINDS = 200;
const CONTEXT = 256;
const SHAPE = { lanes: 4, cells: 3 * CONTEXT };
const KIB = 1_024;
/** Pages for a tenth of the minds; other rooms go to disk, or are read anew. */
const PAGES = 512 * KIB;
const DISK = 4_096 * KIB;
/** What may be held beyond what a troupe cannot let go of: all lanes, some genes, and most of the pages. */
const ROOM = 1_536 * KIB;
/** The JavaScript of all threads, and what the crowd remembers. */
const GROWTH = 512 * KIB * KIB;

interface Phase {
  readonly acts: number;
  /** Turns at one time. */
  readonly open: number;
  /** Of the room, by a neighbour in the process. */
  readonly taken: number;
  /** Comes to hold, sooner or later. */
  readonly brings: (report: MemoryReport) => boolean;
  /** A thread that is lost in the middle of it. */
  readonly lost?: 'engine' | 'host-1';
}
const isCalm = ({ pools }: MemoryReport): boolean =>
  pools[0]?.level === 'normal' || pools[0]?.level === 'warning';
/** Pressure rises until something has to go, falls, rises beyond what can go, and falls. */
const PHASES: readonly Phase[] = [
  { acts: 150, open: 40, taken: 0, brings: isCalm, lost: 'host-1' },
  { acts: 150, open: 120, taken: 0.35, brings: ({ alerts }) => alerts.length > 0 },
  { acts: 80, open: 40, taken: 0, brings: isCalm, lost: 'engine' },
  { acts: 200, open: 120, taken: 1, brings: ({ cells }) => cells.total === CONTEXT },
  { acts: 150, open: 80, taken: 0, brings: isCalm },
];

/** When each thread was lost last, ms since 1970. */
const lostAt = new Map<string, number>();
let place: ReturnType<typeof folder>;
let genes: Map<string, string>;
let stories: Story[][];
let floorBytes: number;
let geneBytes: number;
const open = async (options: TroupeOptions = {}): Promise<Troupe> => {
  const troupe = await startTroupe({ ...SHAPE, context: CONTEXT, hosts: 2, ...options });
  for (const [name, path] of genes) geneBytes = (await troupe.genes.load(path, { name })).bytes;
  return troupe;
};

beforeAll(async () => {
  place = folder();
  genes = writeGenes(place.path);
  const foreseer = createForeseer(genes);
  const foreseen = writeStories(foreseer);
  foreseer.close();
  await using troupe = await open();
  stories = await tellAlone(troupe, foreseen);
  expect(stories).toEqual(foreseen);
  floorBytes = (await troupe.memory()).pools[0]?.floorBytes ?? 0;
});
afterAll(() => place[Symbol.dispose]());

/** One phase, from the neighbour's move until pressure is what it is to be. */
async function pass(
  troupe: Troupe,
  crowd: Crowd,
  onlooker: Onlooker,
  { acts, open: most, lost, brings }: Phase,
): Promise<void> {
  for (let act = 0; act < acts; act++) {
    await crowd.act(most);
    if (act % 10 === 0) await onlooker.look();
    if (act === acts / 2 && lost !== undefined) await lose(troupe, crowd, lost);
  }
  while (!brings(await onlooker.look())) await crowd.act(most);
}

/** A thread is gone, and with it what those who lived on it had in hand; not as often as it would be given up for. */
async function lose(troupe: Troupe, crowd: Crowd, name: 'engine' | 'host-1'): Promise<void> {
  const since = Date.now() - (lostAt.get(name) ?? 0);
  if (since < (2 * THREAD_RESTARTS.withinMs) / THREAD_RESTARTS.count) return;
  lostAt.set(name, Date.now());
  await crowd.moved();
  const hit = troupe.inspect().actors.filter(({ thread }) => thread === name);
  crowd.strike('thread lost', new Set(hit.map((actor) => actor.name.replace('mind/', ''))));
  const { restarts } = found(troupe, name);
  await systemOf(troupe).terminateThread(threadOf(troupe, name));
  await until(() => found(troupe, name).restarts > restarts && found(troupe, name).alive, `${name} again`);
}
const found = (troupe: Troupe, name: string) =>
  troupe.inspect().threads.find((thread) => thread.name === name) as { restarts: number; alive: boolean };

it('B4 T7 all that 200 minds say under rising and falling pressure ends as it may, and nothing is left', {
  timeout: ROUNDS * ROUND_MS,
}, async () => {
  const dir = join(place.path, 'pages');
  const memory = { device: floorBytes + ROOM, pages: PAGES, disk: DISK, dir };
  const troupe = await open({ memory, genes: { slots: 3, hostBytes: 2 * geneBytes } });
  await atRest(troupe, SHAPE);
  const before = {
    booked: booked(await troupe.memory()),
    live: addon.live(),
    rss: process.memoryUsage.rss(),
  };
  const crowd = new Crowd(troupe, MINDS, stories, SEED);
  const onlooker = new Onlooker(troupe);
  const neighbour = new Neighbour(PAGES);
  await crowd.enter();
  for (let round = 0; round < ROUNDS; round++) {
    for (const phase of PHASES) {
      neighbour.hold(Math.floor(phase.taken * ROOM));
      await pass(troupe, crowd, onlooker, phase);
    }
  }
  await crowd.settledWithin(SETTLE_MS);
  await crowd.leave();
  expect([...crowd.wrongs, ...onlooker.wrongs]).toEqual([]);
  expect(Object.keys(crowd.outcomes)).toEqual(expect.arrayContaining(['length', 'aborted', 'failed']));
  expect(onlooker.genesRelieved).toBeGreaterThan(0);
  await atRest(troupe, SHAPE);
  await comesToBe(troupe, before.booked);
  expect(addon.live()).toEqual(before.live);
  expect(troupe.inspect().actors.filter(({ waitsFor }) => waitsFor !== undefined)).toEqual([]);
  expect((await troupe.memory()).cells).toMatchObject({ total: SHAPE.cells, granted: 0, idle: 0 });
  expect(await troupe.pages.list()).toEqual([]);
  expect(addon.pages.usage().count).toBe(0);
  expect(readdirSync(join(dir, 'staging'))).toEqual([]);
  expect(onlooker.largestBytes - before.rss).toBeLessThan(GROWTH);
  await troupe.stop();
});
