/**
 * Budget: what one ledger of memory costs, and what it gives to those who share it.
 */
import { evict } from './budget/evict.mjs';

export const bench = { name: 'budget', parts: [evict] };
