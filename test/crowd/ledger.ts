/** The ledger of a troupe as one can be compared with another: who holds how much, where, and what of. */
import { setTimeout as after } from 'node:timers/promises';
import { expect } from 'vitest';
import type { MemoryReport, Troupe } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { GENES } from './genes.js';

/** What is said of changes comes within moments. */
const TRIES = 600;
const TRY_MS = 50;

/** Of genes all together: which of them the host keeps depends on how warm they are. */
const ownerOf = ({ kind, owner }: MemoryReport['leases'][number]): string =>
  kind === 'genes' ? 'all' : owner;

const isOnDevice = ({ kind, tier }: MemoryReport['leases'][number]): boolean =>
  kind === 'genes' && tier === 'device';

/** But memory that nobody uses: how much of it was given back the store is asked itself. */
export function booked({ leases }: MemoryReport): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const lease of leases) {
    if (lease.kind === 'arena') continue;
    const key = `${lease.kind} of ${ownerOf(lease)} (${lease.tier})`;
    sums[key] = (sums[key] ?? 0) + lease.bytes;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, bytes]) => bytes > 0));
}

/**
 * A troupe without minds, brought to where nothing depends on what went before: a context of these numbers, all genes out of
 * the lanes' reach and as many on the host as go there, nothing on disk, and no memory that nobody uses.
 */
export async function atRest(troupe: Troupe, shape: { lanes: number; cells: number }): Promise<void> {
  for (const { mind, room } of (await troupe.pages.spilled()).pages) {
    // What was written because memory was short goes by itself when its mind has left, maybe just now.
    await troupe.pages.remove(mind, room).catch((error) => expect(error.code).toBe('NoSuchPage'));
  }
  for (const gene of GENES) {
    await troupe.genes.pageIn(gene);
    await troupe.genes.pageOut(gene);
  }
  await troupe.relaunch(shape);
  addon.pages.trim();
  await expect
    .poll(async () => (await troupe.memory()).leases.some(isOnDevice), { timeout: TRIES * TRY_MS })
    .toBe(false);
}

/** Holds that the ledger comes to be so. */
export async function comesToBe(troupe: Troupe, expected: Record<string, number>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const now = booked(await troupe.memory());
    if (JSON.stringify(sorted(now)) === JSON.stringify(sorted(expected))) return;
    addon.pages.trim();
    await after(TRY_MS);
  }
  expect(booked(await troupe.memory())).toEqual(expected);
}

const sorted = (sums: Record<string, number>): [string, number][] =>
  Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1));
