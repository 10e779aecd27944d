/**
 * What the tests of the public face share: models, a troupe on the smallest of them, and the system beneath it for
 * faults that no caller can make.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import {
  type Mind,
  type Probe,
  type Sampling,
  Troupe,
  type TroupeOptions,
  type Turn,
} from '../../src/index.js';
import { Band } from '../../src/runtime/message.js';
import { System } from '../../src/runtime/system.js';
import { STORE } from '../../src/runtime/well-known.js';

const models = new URL('../../models/', import.meta.url);
export const TINY = fileURLToPath(new URL('parlour-tiny-F16.gguf', models));
/** A gene of it, by who wrote what it was trained on. */
export const geneFile = (author: string): string =>
  fileURLToPath(new URL(`parlour-tiny-gene-${author}-F16.gguf`, models));
/** Tokens that the small model was trained for. */
export const TRAINED = 512;

export const greedy: Sampling = { temperature: 0 };
/** Greedy, and without what keeps a small model from going in circles: its replies do not end. */
export const circling: Sampling = { temperature: 0, repeatPenalty: 1 };
/** Begins a reply that goes on for thousands of tokens under `circling`. */
export const ENDLESS = 'And the LORD said';

let started: System | undefined;
const systems = new WeakMap<Troupe, System>();
const start = System.start.bind(System);
System.start = async (plans) => {
  started = await start(plans);
  return started;
};

/** Pages of troupes that are given no folder: a test leaves nothing in its user's home. */
const pages = folder();
afterAll(() => pages[Symbol.dispose]());

export async function startTroupe(options: TroupeOptions = {}): Promise<Troupe> {
  const memory = options.dir === undefined ? { dir: pages.path, ...options.memory } : options.memory;
  const troupe = await Troupe.start({
    ...{ model: TINY, threads: 1, hosts: 1, ...options },
    ...(memory === undefined ? {} : { memory }),
  });
  systems.set(troupe, started as System);
  return troupe;
}

/** The actors' system that a troupe runs on. */
export const systemOf = (troupe: Troupe): System => systems.get(troupe) as System;

/** The address of an actor by its name, and the number of a thread by its. */
export function actorOf(troupe: Troupe, name: string): number {
  const found = troupe.inspect().actors.find((actor) => actor.name === name);
  if (found === undefined) throw new Error(`no actor is named ${name}`);
  return found.id;
}
export function threadOf(troupe: Troupe, name: string): number {
  const found = troupe.inspect().threads.find((thread) => thread.name === name);
  if (found === undefined) throw new Error(`no thread is named ${name}`);
  return found.number;
}

/** What a mind has handed over to the store, by key, once there are so many entries. */
export async function savedOf(troupe: Troupe, mind: number, entries = 1): Promise<Map<string, unknown>> {
  for (;;) {
    const message = { type: 'load', id: mind };
    const saved = await systemOf(troupe).ask<Map<string, unknown>>(STORE, message, { band: Band.reserved });
    if (saved.size >= entries) return saved;
  }
}

/** Lanes that run a turn now. */
export const running = (troupe: Troupe): number =>
  troupe.inspect().lanes.filter((lane) => lane.state === 'running').length;

/** Waits until something holds; fails after `withinMs`. */
export async function until(holds: () => boolean, what: string, withinMs = 60_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what} did not come to be`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** All pieces of a turn, read to its end. */
export async function piecesOf(turn: Turn): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of turn) pieces.push(piece.text);
  return pieces;
}

/** Settles when the first piece of a turn has come. */
export async function begun(turn: Turn): Promise<void> {
  const reading = turn[Symbol.asyncIterator]();
  await reading.next();
}

/** Turns of a mind that go on for seconds, each in a room of its own: they end when they are cancelled. */
export async function busy(mind: Mind): Promise<readonly Turn[]> {
  const turns = Array.from({ length: 100 }, (_, room) =>
    mind.turn(ENDLESS, { room: `busy ${room}`, maxTokens: 400, sampling: circling }),
  );
  await begun(turns[0] as Turn);
  return turns;
}

/** Collects the probes of one name until it is disposed of. */
export function probesOf(troupe: Troupe, name: string): { readonly seen: Probe[]; [Symbol.dispose](): void } {
  const seen: Probe[] = [];
  const off = troupe.onProbe((probe) => probe.name === name && seen.push(probe));
  return { seen, [Symbol.dispose]: off };
}

/** A folder of its own that is gone after the test. */
export function folder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'troupe-face-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** The small model with a context that it was not trained for: nonsense, at length. */
export function writeLongModel(path: string, context: number): string {
  const bytes = readFileSync(TINY);
  const key = 'llama.context_length';
  bytes.writeUInt32LE(context, bytes.indexOf(key) + key.length + 4);
  writeFileSync(path, bytes);
  return path;
}

/** The small model with another chat template, no longer than its own. */
export function writeTemplateModel(path: string, template: string): string {
  const bytes = readFileSync(TINY);
  const key = 'tokenizer.chat_template';
  const at = bytes.indexOf(key) + key.length + 4;
  const length = bytes.readUInt32LE(at);
  const comment = length - Buffer.byteLength(template) - '{##}'.length;
  bytes.write(`{#${' '.repeat(comment)}#}${template}`, at + 8);
  writeFileSync(path, bytes);
  return path;
}

/**
 * The small model with the texts of two tokens changed, so that a face is split between them: what it says as
 * ` the LORD` comes out as `x\u{1f600}yz`, the first token ending and the second beginning in mid-character.
 */
export function writeSplitModel(path: string): string {
  const bytes = readFileSync(TINY);
  for (const [token, text] of [
    ['Ġthe', 'xðŁ'],
    ['ĠLORD', 'ĺĢyz'],
  ] as const) {
    const length = Buffer.alloc(8);
    length.writeUInt32LE(Buffer.byteLength(token));
    const at = bytes.indexOf(Buffer.concat([length, Buffer.from(token)]));
    bytes.write(text, at + length.length);
  }
  writeFileSync(path, bytes);
  return path;
}
