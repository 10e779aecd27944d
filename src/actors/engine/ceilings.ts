/**
 * What pages of all troupes of a process may take together. Each troupe keeps to its own part (`pages.ts`), the store, which
 * belongs to the process, to the whole. For the main thread, which starts and stops them.
 */
import { loadAddon } from '../../native/load.js';

/** By the names of their engines. */
const ceilings = new Map<string, number>();

/** So many bytes more, for pages of an engine of this name. */
export function allowPages(owner: string, bytes: number): void {
  ceilings.set(owner, bytes);
  setSum();
}

/** It is gone, and its pages with it. */
export function disallowPages(owner: string): void {
  if (ceilings.delete(owner)) setSum();
}

function setSum(): void {
  const sum = [...ceilings.values()].reduce((all, bytes) => all + bytes, 0);
  loadAddon().pages.setCeiling(ceilings.size === 0 ? Number.POSITIVE_INFINITY : sum);
}
