/**
 * Budget: what one ledger of memory costs, and what it gives to those who share it.
 */
import { evict } from './budget/evict.mjs';
import { relief } from './budget/relief.mjs';

export const bench = { name: 'budget', parts: [evict, relief] };
