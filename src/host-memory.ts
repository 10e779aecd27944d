/**
 * How much memory this process may still take (B2): what the system has to give, and what every control group that it is in
 * leaves of its limit (containers are such groups; version 1 and 2). What is only cached from files counts as free.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Answers a file's text; undefined: it cannot be read. */
export type ReadText = (path: string) => string | undefined;

/** In bytes. */
export const availableMemory = (): number => Math.min(process.availableMemory(), groupRoom(readText));

interface Layout {
  readonly mount: string;
  readonly limits: readonly string[];
  readonly used: string;
  /** In `memory.stat`. */
  readonly cached: string;
}

const VERSION_1: Layout = {
  mount: '/sys/fs/cgroup/memory',
  limits: ['memory.limit_in_bytes'],
  used: 'memory.usage_in_bytes',
  cached: 'total_inactive_file',
};
const VERSION_2: Layout = {
  mount: '/sys/fs/cgroup',
  limits: ['memory.max', 'memory.high'],
  used: 'memory.current',
  cached: 'inactive_file',
};

/** The least that any control group of this process, or any that it lies in, leaves; infinite where none has a limit. */
export function groupRoom(read: ReadText): number {
  let room = Number.POSITIVE_INFINITY;
  for (const line of (read('/proc/self/cgroup') ?? '').split('\n')) {
    // `hierarchy:controllers:path`
    const [hierarchy, controllers = '', path = ''] = line.split(':');
    const isMemory = controllers.split(',').includes('memory');
    if (hierarchy !== '0' && !isMemory) continue;
    room = Math.min(room, roomUpwards(isMemory ? VERSION_1 : VERSION_2, path, read));
  }
  return room;
}

function roomUpwards(layout: Layout, path: string, read: ReadText): number {
  let room = Number.POSITIVE_INFINITY;
  for (let group = join('/', path); ; group = dirname(group)) {
    room = Math.min(room, roomIn(layout, join(layout.mount, group), read));
    if (group === '/') return room;
  }
}

function roomIn({ limits, used, cached }: Layout, folder: string, read: ReadText): number {
  const bytes = (file: string): number => Number.parseInt(read(join(folder, file)) ?? '', 10);
  const limit = Math.min(...limits.map((file) => finite(bytes(file), Number.POSITIVE_INFINITY)));
  const stat = read(join(folder, 'memory.stat')) ?? '';
  const reclaimable = Number.parseInt(new RegExp(`^${cached} (\\d+)$`, 'm').exec(stat)?.[1] ?? '0', 10);
  return Math.max(0, limit - Math.max(0, finite(bytes(used), 0) - reclaimable));
}

/** A limit that is none reads `max`. */
const finite = (value: number, otherwise: number): number => (Number.isFinite(value) ? value : otherwise);

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
