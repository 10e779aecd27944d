/** Budgets that nothing comes near. */
import type { Budgets } from '../../src/actors/broker/pools.js';

export const UNBOUNDED: Budgets = { device: undefined, host: 2 ** 50, disk: 2 ** 50 };
