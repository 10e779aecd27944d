/** Budgets that brokers of tests are given, and queues. */
import type { HostRoom } from '../../src/actors/broker/host-room.js';
import type { Budgets } from '../../src/actors/broker/pools.js';

/** Nothing comes near them. */
export const UNBOUNDED: Budgets = { device: undefined, host: 2 ** 50, disk: 2 ** 50 };

/** A few pages of simulated minds, or a gene and a page, are more than the host's. */
export const TIGHT: Budgets = { device: undefined, host: 1_000, disk: 2 ** 50 };

/** No room is kept for pages. */
export const NONE_KEPT: HostRoom = { ceiling: 0, cellBytes: 0, moving: [], waiting: [] };
