/** The residency itself, over real genes of a real model, and a broker that is told what to say. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { LeaseMessage } from '../../../src/actors/broker/lease-news.js';
import type { Holds } from '../../../src/actors/broker/leases.js';
import type { EngineControl } from '../../../src/actors/engine/protocol.js';
import type {
  BrokerToResidency,
  GeneMove,
  GeneStats,
  NamedGeneInfo,
  PoolUse,
  Relieve,
  ResidencyArgs,
  ResidencyMessage,
  ResidencyToBroker,
} from '../../../src/actors/residency/protocol.js';
import definition from '../../../src/actors/residency/residency.js';
import type { NativeModel } from '../../../src/native/addon.js';
import { Band } from '../../../src/runtime/message.js';
import { type GeneForm, load, modelPath, TINY } from '../../native/fixtures.js';
import { Party, TestThread } from '../thread.js';

export type Name = 'a' | 'b' | 'c';
/** Bytes of each of these genes. */
export const BYTES = 69_632;

export let folder: string;
export let model: NativeModel;
export let thread: TestThread;
export let residency: number;
export let broker: Party<BrokerToResidency | Relieve | PoolUse | LeaseMessage, ResidencyToBroker | Holds>;
export let engine: Party<never, EngineControl>;

/** `form`: by `place` genes move in place, by `stacks` they are copied. */
export async function start(given: Partial<ResidencyArgs> = {}, form: GeneForm = 'place'): Promise<void> {
  model = load(TINY, form);
  const args = { default: ['always'], slots: undefined, hostBytes: 10 * BYTES, ...given };
  const all: ResidencyArgs = { ...args, model: model.info.id, engine: engine.id, broker: broker.id };
  residency = await thread.spawn(definition as never, 'residency', all);
  expect(await broker.hears()).toMatchObject([{ type: 'genes-up' }]);
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-residency-'));
  thread = await TestThread.start();
  broker = await Party.enter(thread, 'broker', () => residency);
  engine = await Party.enter(thread, 'engine', () => residency);
});
afterEach(async () => {
  await thread.stop();
  model?.close();
  rmSync(folder, { recursive: true });
});

export const pathOf = (name: Name) => join(folder, `${name}.gguf`);
export const ask = <T>(message: ResidencyMessage) => thread.ask<T>(residency, message as never);
export const list = () => thread.ask<NamedGeneInfo[]>(residency, { type: 'list' }, Band.control);
export const stats = () => thread.ask<GeneStats>(residency, { type: 'stats' }, Band.control);
interface Bringing {
  readonly as?: string;
  readonly path?: string;
  readonly replace?: boolean;
  readonly learning?: boolean;
}
/** Loads one of the genes from a file of its own. */
export function bring(name: Name, given: Bringing = {}) {
  const bytes = readFileSync(modelPath(`parlour-tiny-gene-${name === 'a' ? 'kjv' : 'melville'}-F16`));
  // Another gene than the one of that author, by a bit.
  if (name === 'c') bytes[bytes.length - 2] = (bytes.at(-2) as number) ^ 1;
  const { as = name, path = pathOf(name), replace = false, learning = false } = given;
  writeFileSync(path, bytes);
  return ask<NamedGeneInfo>({ type: 'load', path, name: as, replace, learning });
}
export const unload = (name: string) => ask({ type: 'unload', name });
export const pageOut = (name: string) => ask<GeneMove>({ type: 'page-out', name });
export const pageIn = (name: string) => ask<GeneMove>({ type: 'page-in', name });
export const pin = (grant: number, ...names: string[]): void =>
  pinFor({ grant, activity: `9/${grant}`, turn: grant }, ...names);
interface Run {
  readonly grant: number;
  readonly activity: string;
  readonly turn: number;
}
export const pinFor = (run: Run, ...names: string[]): void =>
  broker.tell({ type: 'pin', ...run, genes: names.map((gene) => ({ gene, scale: 1 })) });
export const unpin = (grant: number): void => broker.tell({ type: 'unpin', grant });
export const tiers = async () => Object.fromEntries((await list()).map(({ name, tier }) => [name, tier]));
/** Offload threads take their time to start. */
export const eventually = (holds: () => Promise<void>) => vi.waitFor(holds, { timeout: 15_000 });
export const code = (expected: string) => expect.objectContaining({ code: expected });
export const inUse = (by: string) =>
  expect.objectContaining({ code: 'GeneInUse', detail: { gene: 'a', by } });
/** What the broker hears next but of what there is and of its memory, however long the offload threads take. */
export async function hears(count = 1): Promise<ResidencyToBroker[]> {
  const heard: ResidencyToBroker[] = [];
  await eventually(async () => {
    heard.push(...(await nowHears()));
    expect(heard.length).toBeGreaterThanOrEqual(count);
  });
  return heard;
}
export const nowHears = async () => {
  const isSpoken = (said: ResidencyToBroker | Holds): said is ResidencyToBroker =>
    said.type !== 'stock' && said.type !== 'holds';
  return (await broker.hears()).filter(isSpoken);
};
/** Waits until the broker is asked who holds a gene, and has it answer. */
export async function confirm(): Promise<void> {
  const [asked] = await hears();
  expect(asked).toMatchObject({ type: 'confirm' });
  broker.tell({ type: 'confirmed', question: (asked as { question: number }).question });
}
