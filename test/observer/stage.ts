/**
 * What the tests of observing share: a folder, an observer in front of a planted source, and processes that can be
 * observed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '../../src/observer/client.js';
import { genesSeen } from '../../src/observer/genes.js';
import { pagesSeen } from '../../src/observer/pages.js';
import type { ServerLine } from '../../src/observer/protocol.js';
import { Observer } from '../../src/observer/server.js';
import type { Source } from '../../src/observer/source.js';
import type { Probe } from '../../src/runtime/probes.js';
import type { Sight } from '../../src/runtime/standing.js';
import { sightOf } from '../runtime/planted.js';

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url));

/** A folder of its own that is gone after the test. */
export function folder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'troupe-see-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const NO_COUNTS = {
  ...{
    slots: null,
    hostLimitBytes: 0,
    deviceGenes: 0,
    deviceBytes: 0,
    hostGenes: 0,
    hostBytes: 0,
    diskGenes: 0,
  },
  ...{ pagedOut: 0, pagedIn: 0, pagedInOnDemand: 0, dropped: 0, failed: 0 },
};

const NO_PAGES = {
  ...{ lanes: 0, running: 0, idle: 0, memoryPages: 0, memoryBytes: 0, ceilingBytes: 0 },
  ...{ diskOnly: 0, diskPages: 0, diskBytes: 0 },
};

export interface PlantedSource extends Source {
  sight: Sight;
  looks: number;
  listeners: Set<(probe: Probe) => void>;
}

/** `peek` answers what is queued at nobody, unless given. */
export function source(peek?: Source['peek']): PlantedSource {
  const planted: PlantedSource = {
    sight: sightOf([
      { name: 'mind/ada', kind: 'mind', waits: { on: 'bob', reason: 'greet', forMs: 3_200, leftMs: 1_800 } },
      { name: 'bob' },
    ]),
    looks: 0,
    listeners: new Set(),
    inspect() {
      planted.looks++;
      return planted.sight;
    },
    peek: peek ?? (async (id) => ({ id, name: 'bob', inHand: undefined, queued: [], more: 0, waits: [] })),
    genes: async () => genesSeen([], NO_COUNTS),
    memory: async () => ({
      pools: [],
      cells: { total: 0, granted: 0, idle: 0, saved: 0 },
      alerts: [],
      quarantined: [],
    }),
    pages: async () => pagesSeen([], NO_PAGES),
    trace: (_, { over }) => over,
    onProbe(listener) {
      planted.listeners.add(listener);
      return () => planted.listeners.delete(listener);
    },
  };
  return planted;
}

export const LABEL = String(process.pid);

/** An observer in a folder of its own, and all that was attached to it, until it is disposed of. */
export async function observed(given: Source = source()) {
  const at = folder();
  const observer = await Observer.open(given, at.path);
  const open: { close(): void }[] = [];
  return {
    dir: at.path,
    path: join(at.path, `${LABEL}.sock`),
    observer,
    async attach(): Promise<Client> {
      const client = await Client.attach(at.path, LABEL);
      open.push(client);
      return client;
    },
    [Symbol.dispose]() {
      for (const one of open) one.close();
      observer.close();
      at[Symbol.dispose]();
    },
  };
}

/** A connection without any manners, and the lines that came over it. */
export async function raw(
  path: string,
): Promise<{ socket: Socket; lines: ServerLine[]; closed: Promise<void> }> {
  const socket = connect({ path, allowHalfOpen: true });
  const lines: ServerLine[] = [];
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((line) => JSON.parse(line) as ServerLine));
  });
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, lines, closed };
}

/** A process of its own that can be observed, once it is ready. */
export async function running(dir: string, mode = ''): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, [PROGRAM, dir, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
  return child as unknown as ChildProcess & { pid: number };
}

export const exited = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

/** Waits until something holds. */
export async function until(holds: () => boolean, what: string, withinMs = 60_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what} did not come to be`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
