/**
 * Within one thread: tell, a ring, and spawn, against nact and against a bare run queue.
 */
import { comparison } from './comparison.mjs';

/** A run queue that makes less is no measure of what a machine can do. */
const LEAST_BARE_RATE = 8e6;

export const oneThread = [
  comparison({
    figure: 'tell-nact',
    bar: 8,
    sides: ['sides/actors/tell#troupe', 'peers/nact#tell'],
    of: 'messages',
  }),
  comparison({
    figure: 'tell-bare',
    bar: 0.3,
    sides: ['sides/actors/tell#troupe', 'sides/actors/tell#bare'],
    of: 'messages',
    leastRate: LEAST_BARE_RATE,
  }),
  comparison({
    figure: 'ring-bare',
    bar: 0.4,
    sides: ['sides/actors/ring#troupe', 'sides/actors/ring#bare'],
    of: 'messages',
  }),
  comparison({
    figure: 'spawn-nact',
    bar: 0.6,
    sides: ['sides/actors/spawn#troupe', 'peers/nact#spawn'],
    of: 'actors',
    as: 'cost',
  }),
];
