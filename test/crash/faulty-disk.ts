/**
 * A disk over another one, of which single calls are made to fail, and which can stop as a process does that is killed.
 */
import type { Disk } from '../../src/pages/disk.js';

/** What is thrown where a killed process would have gone on; nothing that catches errors of a disk takes it for one. */
export class Killed extends Error {}

export interface Call {
  readonly number: number;
  readonly operation: keyof Disk;
  /** Of paths, the first; else undefined. */
  readonly path: string | undefined;
}

/** What becomes of a call: it is done; it is done for the first byte alone; or this is thrown. */
export type Fate = 'done' | 'short' | Error;

/** Decides each call. Closing is never decided: it changes nothing on the disk. */
export function faultyDisk(disk: Disk, fate: (call: Call) => Fate): Disk & { readonly calls: Call[] } {
  const calls: Call[] = [];
  const decided = (operation: keyof Disk) => {
    return (...args: unknown[]): unknown => {
      const path = typeof args[0] === 'string' ? args[0] : undefined;
      const call = { number: calls.length, operation, path };
      calls.push(call);
      const now = fate(call);
      if (now instanceof Error) throw now;
      if (now === 'short' && operation === 'write') args[1] = (args[1] as Uint8Array).subarray(0, 1);
      return (disk[operation] as (...given: unknown[]) => unknown).apply(disk, args);
    };
  };
  const operations = [
    ...(['open', 'write', 'read', 'size', 'sync', 'rename', 'unlink'] as const),
    ...(['makeFolder', 'removeFolder', 'entries', 'freeBytes'] as const),
  ];
  const made = Object.fromEntries(operations.map((operation) => [operation, decided(operation)]));
  return { ...(made as unknown as Disk), close: (file) => disk.close(file), calls };
}

export const systemError = (code: string, operation: string): Error =>
  Object.assign(new Error(`${code}: a planted failure, ${operation}`), { code, syscall: operation });

/** Does everything before the call of this number and nothing from it on. */
export const killedAt =
  (number: number) =>
  (call: Call): Fate =>
    call.number >= number ? new Killed() : 'done';
