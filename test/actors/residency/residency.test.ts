/** The residency itself, over real genes of a real model; minds are told what to say. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineControl } from '../../../src/actors/engine/protocol.js';
import type {
  GeneMove,
  GeneStats,
  MindToResidency,
  NamedGeneInfo,
  ResidencyArgs,
  ResidencyMessage,
  ResidencyToMind,
} from '../../../src/actors/residency/protocol.js';
import definition from '../../../src/actors/residency/residency.js';
import type { NativeModel } from '../../../src/native/addon.js';
import { Band } from '../../../src/runtime/message.js';
import { load, modelPath, TINY } from '../../native/fixtures.js';
import { Party, settled, TestThread } from '../thread.js';

type Name = 'a' | 'b' | 'c';
/** Bytes of each of these genes. */
const BYTES = 69_632;

let folder: string;
let model: NativeModel;
let thread: TestThread;
let residency: number;
let ada: Party<MindToResidency, ResidencyToMind>;
let ben: Party<MindToResidency, ResidencyToMind>;
let engine: Party<never, EngineControl>;

async function start(given: Partial<ResidencyArgs> = {}): Promise<void> {
  const args = { default: ['always'], slots: undefined, hostBytes: 10 * BYTES, ...given };
  const all: ResidencyArgs = { ...args, model: model.info.id, engine: engine.id };
  residency = await thread.spawn(definition as never, 'residency', all);
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-residency-'));
  model = load(TINY);
  thread = await TestThread.start();
  ada = await Party.enter(thread, 'ada', () => residency);
  ben = await Party.enter(thread, 'ben', () => residency);
  engine = await Party.enter(thread, 'engine', () => residency);
});
afterEach(async () => {
  await thread.stop();
  model.close();
  rmSync(folder, { recursive: true });
});

const pathOf = (name: Name) => join(folder, `${name}.gguf`);
const ask = <T>(message: ResidencyMessage) => thread.ask<T>(residency, message as never);
const list = () => thread.ask<NamedGeneInfo[]>(residency, { type: 'list' }, Band.control);
const stats = () => thread.ask<GeneStats>(residency, { type: 'stats' }, Band.control);
/** Loads one of the genes from a file of its own. */
function bring(name: Name, given: { as?: string; replace?: boolean; learning?: boolean } = {}) {
  const bytes = readFileSync(modelPath(`parlour-tiny-gene-${name === 'a' ? 'kjv' : 'melville'}-F16`));
  // Another gene than the one of that author, by a bit.
  if (name === 'c') bytes[bytes.length - 2] = (bytes.at(-2) as number) ^ 1;
  writeFileSync(pathOf(name), bytes);
  const { as = name, replace = false, learning = false } = given;
  return ask<NamedGeneInfo>({ type: 'load', path: pathOf(name), name: as, replace, learning });
}
const unload = (name: string) => ask({ type: 'unload', name });
const pageOut = (name: string) => ask<GeneMove>({ type: 'page-out', name });
const pageIn = (name: string) => ask<GeneMove>({ type: 'page-in', name });
const pin = (mind: typeof ada, turn: number, ...names: string[]) =>
  mind.tell({ type: 'pin', turn, genes: names.map((gene) => ({ gene, scale: 1 })), deadlineMs: 1e6 });
const tiers = async () => Object.fromEntries((await list()).map(({ name, tier }) => [name, tier]));
/** Offload threads take their time to start. */
const eventually = (holds: () => Promise<void>) => vi.waitFor(holds, { timeout: 15_000 });
const code = (expected: string) => expect.objectContaining({ code: expected });
const inUse = (by: string) => expect.objectContaining({ code: 'GeneInUse', detail: { gene: 'a', by } });
/** What a mind hears next, however long the offload threads take. */
async function hears(mind: typeof ada, count = 1): Promise<ResidencyToMind[]> {
  const heard: ResidencyToMind[] = [];
  await eventually(async () => {
    heard.push(...(await mind.hears()));
    expect(heard.length).toBeGreaterThanOrEqual(count);
  });
  return heard;
}
/** Waits until a mind is asked what it holds, and has it answer. */
async function confirm(mind: typeof ada): Promise<void> {
  const [asked] = await hears(mind);
  expect(asked).toMatchObject({ type: 'confirm' });
  mind.tell({ type: 'confirmed', question: (asked as { question: number }).question });
}

describe('names of genes', () => {
  beforeEach(() => start());

  it('G1 pins all of a turn or nothing', async () => {
    const { id } = await bring('a');
    pin(ada, 1, 'a', 'none');
    expect(await hears(ada)).toMatchObject([{ type: 'unpinned', turn: 1, error: { code: 'NoSuchGene' } }]);
    await unload('a');
    expect(await engine.hears()).toEqual([{ type: 'unloaded', gene: id }]);
    expect(model.genes()).toEqual([]);
  });

  it('G1 leaves a gene that has another name, and refuses a name of another gene', async () => {
    await bring('a');
    await bring('a', { as: 'b' });
    await expect(bring('c', { as: 'b' })).rejects.toEqual(code('GeneNameTaken'));
    expect(model.genes()).toHaveLength(1);
    await unload('a');
    expect(await tiers()).toEqual({ b: 'device' });
    await unload('b');
    await expect(unload('b')).rejects.toEqual(code('NoSuchGene'));
    expect(model.genes()).toEqual([]);
  });

  it('G2 keeps what a turn pins until that turn lets go', async () => {
    const { id } = await bring('a');
    pin(ada, 1, 'a');
    pin(ada, 2, 'a');
    expect(await hears(ada, 2)).toMatchObject([
      { type: 'pinned', turn: 1, genes: [{ name: 'a', gene: id, scale: 1 }], missed: { genes: 0 } },
      { type: 'pinned', turn: 2 },
    ]);
    ada.tell({ type: 'unpin', turn: 1 });
    for (const refused of [
      () => unload('a'),
      () => bring('b', { as: 'a', replace: true }),
      () => pageOut('a'),
    ]) {
      const asked = refused();
      await confirm(ada);
      await expect(asked).rejects.toEqual(inUse('one turn'));
    }
    expect(model.genes()).toHaveLength(1);
    ada.tell({ type: 'unpin', turn: 2 });
    await settled();
    expect((await bring('b', { as: 'a', replace: true })).id).not.toBe(id);
    expect(model.genes()).toHaveLength(1);
  });

  it('G2 refuses nothing for a turn that has ended, also when that it did is still on its way', async () => {
    await bring('a');
    pin(ada, 1, 'a');
    await hears(ada);
    const unloaded = unload('a');
    await settled();
    ada.tell({ type: 'unpin', turn: 1 });
    await confirm(ada);
    await unloaded;
  });

  it('G2 goes by what it knows of a mind that does not answer, and not of one that has ended', async () => {
    await bring('a');
    pin(ada, 1, 'a');
    await hears(ada);
    const late = unload('a');
    late.catch(() => {});
    await thread.pass(1_000);
    await expect(late).rejects.toEqual(code('GeneInUse'));
    const unloaded = unload('a');
    await settled();
    ada.end();
    await unloaded;
  });

  it('G2 G3 does not let go of a gene that is active by default, nor of one that is learning', async () => {
    await bring('a', { as: 'always' });
    await expect(unload('always')).rejects.toEqual(code('GeneInUse'));
    await expect(pageOut('always')).rejects.toEqual(code('GeneInUse'));
    await bring('b', { as: 'a', learning: true });
    for (const refused of [
      () => unload('a'),
      () => pageOut('a'),
      () => bring('c', { as: 'a', replace: true }),
    ]) {
      await expect(refused()).rejects.toEqual(inUse('the learning optimizer'));
    }
    await bring('b', { as: 'a' });
    await unload('a');
    await bring('c', { as: 'always', replace: true });
  });
});

describe('tiers of genes', () => {
  it('G3 out and in answer what they did, and do nothing twice', async () => {
    await start();
    await bring('a');
    const moved = { nBytes: BYTES, nMoved: BYTES, tMs: expect.any(Number) };
    expect(await pageOut('a')).toEqual({ resident: false, ...moved });
    expect(await pageOut('a')).toEqual({ resident: false, nBytes: BYTES, nMoved: 0, tMs: 0 });
    expect(await tiers()).toEqual({ a: 'host' });
    expect(model.genes()).toMatchObject([{ tier: 'host' }]);
    expect(await pageIn('a')).toEqual({ resident: true, ...moved });
    expect(await pageIn('a')).toMatchObject({ resident: true, nMoved: 0 });
    await expect(pageOut('none')).rejects.toEqual(code('NoSuchGene'));
    await expect(pageIn('none')).rejects.toEqual(code('NoSuchGene'));
    expect(await stats()).toMatchObject({ pagedOut: 1, pagedIn: 1, pagedInOnDemand: 0, failed: 0 });
    expect(thread.probes.filter(({ name }) => name === 'genome.page')).toMatchObject([
      { gene: 'a', from: 'device', to: 'host', bytes: BYTES, cause: 'asked' },
      { gene: 'a', from: 'host', to: 'device', bytes: BYTES, cause: 'asked' },
    ]);
  });

  it('G4 a turn has its genes moved in before it is told that they are pinned, and that counts as a miss', async () => {
    await start();
    const { id } = await bring('a');
    await pageOut('a');
    pin(ada, 1, 'a');
    const missed = { genes: 1, bytes: BYTES };
    expect(await hears(ada)).toMatchObject([{ type: 'pinned', turn: 1, genes: [{ gene: id }], missed }]);
    expect(model.genes()).toMatchObject([{ tier: 'device' }]);
    expect(await stats()).toMatchObject({ pagedIn: 1, pagedInOnDemand: 1 });
  });

  it('G4 the gene used least recently makes room, of those that no turn holds', async () => {
    await start({ slots: 2 });
    await bring('a');
    await bring('b');
    pin(ada, 1, 'a');
    pin(ben, 1, 'b');
    await hears(ben);
    ben.tell({ type: 'unpin', turn: 1 });
    await bring('c');
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'device', c: 'host' }));
    pin(ben, 2, 'c');
    expect(await hears(ben)).toMatchObject([{ type: 'pinned', turn: 2, missed: { genes: 1 } }]);
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host', c: 'device' }));
    expect(await stats()).toMatchObject({ slots: 2, deviceBytes: 2 * BYTES, hostBytes: BYTES });
  });

  it('case-10 of two turns with room for the gene of one the second waits for the first, in order', async () => {
    await start({ slots: 1 });
    await bring('a');
    await bring('b');
    pin(ada, 1, 'a');
    await hears(ada);
    pin(ben, 1, 'b');
    pin(ben, 2, 'a');
    expect(await ben.hears()).toEqual([]);
    ada.tell({ type: 'unpin', turn: 1 });
    expect(await hears(ben)).toMatchObject([{ type: 'pinned', turn: 1 }]);
    await expect(pageIn('a')).rejects.toEqual(code('GeneSlotsFull'));
    ben.tell({ type: 'unpin', turn: 1 });
    expect(await hears(ben)).toMatchObject([{ type: 'pinned', turn: 2, missed: { genes: 1 } }]);
  });

  it('case-10 a turn that waits holds nothing, and one that no longer waits holds no one up', async () => {
    await start({ slots: 1 });
    await bring('a');
    await bring('b');
    pin(ada, 1, 'a');
    await hears(ada);
    pin(ben, 1, 'b');
    pin(ben, 2, 'a');
    await settled();
    ben.tell({ type: 'unpin', turn: 1 });
    expect(await hears(ben)).toMatchObject([{ type: 'pinned', turn: 2 }]);
    await unload('b');
  });

  it('B6 a turn that the slots can never hold is refused at once, with the numbers', async () => {
    await start({ slots: 2 });
    await bring('a', { as: 'always' });
    await bring('b');
    await bring('c');
    pin(ada, 1, 'b', 'c');
    const detail = { neededGenes: 3, slots: 2 };
    expect(await hears(ada)).toMatchObject([
      { type: 'unpinned', turn: 1, error: { code: 'GeneSlotsFull', detail } },
    ]);
    pin(ada, 2, 'b');
    expect(await hears(ada)).toMatchObject([{ type: 'pinned', turn: 2 }]);
  });

  it('G2 a turn that waits for a gene that is unloaded is told so', async () => {
    await start({ slots: 1 });
    await bring('a');
    await bring('b');
    pin(ada, 1, 'a');
    await hears(ada);
    pin(ben, 1, 'b');
    await settled();
    await unload('b');
    expect(await hears(ben)).toMatchObject([{ type: 'unpinned', turn: 1, error: { code: 'NoSuchGene' } }]);
  });
});

describe('the disk tier', () => {
  it('G5 host copies have a ceiling: the coldest goes to disk, and comes back from its file', async () => {
    await start({ hostBytes: BYTES });
    await bring('a');
    await bring('b');
    await pageOut('a');
    await pageOut('b');
    expect(await tiers()).toEqual({ a: 'disk', b: 'host' });
    expect(await stats()).toMatchObject({ hostBytes: BYTES, diskGenes: 1, dropped: 1, deviceBytes: 0 });
    expect(await pageIn('a')).toMatchObject({ resident: true, nMoved: BYTES });
    pin(ada, 1, 'b');
    expect(await hears(ada)).toMatchObject([{ type: 'pinned', missed: { genes: 1 } }]);
  });

  it('case-5 a file with other content gives nothing back, and the turn fails with why', async () => {
    await start({ hostBytes: 0 });
    await bring('a');
    await pageOut('a');
    expect(await tiers()).toEqual({ a: 'disk' });
    writeFileSync(pathOf('a'), 'something else');
    pin(ada, 1, 'a');
    expect(await hears(ada)).toMatchObject([{ type: 'unpinned', turn: 1, error: { code: 'GeneChanged' } }]);
    await expect(pageIn('a')).rejects.toEqual(code('GeneChanged'));
    expect(await stats()).toMatchObject({ failed: 2, pagedIn: 0 });
    expect(thread.probes.filter(({ name }) => name === 'genome.page.failed')).toMatchObject([
      { gene: 'a', from: 'disk', to: 'device', cause: 'demand', error: { code: 'GeneChanged' } },
      { cause: 'asked' },
    ]);
    await bring('a', { as: 'b' });
    pin(ada, 2, 'a');
    expect(await hears(ada)).toMatchObject([{ type: 'pinned', turn: 2 }]);
  });

  it('G5 a gene whose file is another one now is not given up to it', async () => {
    await start({ hostBytes: 0 });
    await bring('a');
    rmSync(pathOf('a'));
    await expect(pageOut('a')).rejects.toEqual(code('GeneChanged'));
    expect(await tiers()).toEqual({ a: 'device' });
    pin(ada, 1, 'a');
    expect(await hears(ada)).toMatchObject([{ type: 'pinned', missed: { genes: 0 } }]);
  });
});

describe('a residency that is started again', () => {
  it('R4 knows its genes and where they are, and asks minds for their pins', async () => {
    await start({ slots: 1 });
    const { id } = await bring('a');
    await bring('b');
    await pageOut('a');
    pin(ada, 1, 'a');
    await hears(ada);
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host' }));
    // No mind says this: it crashes.
    ada.tell({ type: 'pin', turn: 2, genes: undefined as never, deadlineMs: 1 });
    await eventually(async () => {
      await thread.pass(10);
      expect(await ada.hears()).toContainEqual({ type: 'pin-again' });
    });
    expect(await tiers()).toEqual({ a: 'device', b: 'host' });
    ada.tell({ type: 'hold', turn: 1, genes: [id] });
    pin(ben, 1, 'b');
    expect(await ben.hears()).toEqual([]);
    ada.tell({ type: 'unpin', turn: 1 });
    expect(await hears(ben)).toMatchObject([{ type: 'pinned', turn: 1 }]);
  });
});
