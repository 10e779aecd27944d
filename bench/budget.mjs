/**
 * Budget: what one ledger of memory costs, and what it gives to those who share it.
 */
import { ceiling } from './budget/ceiling.mjs';
import { evict } from './budget/evict.mjs';
import { fair } from './budget/fair.mjs';
import { idleCost } from './budget/idle.mjs';
import { ledger } from './budget/ledger.mjs';
import { reclaim } from './budget/reclaim.mjs';
import { relief } from './budget/relief.mjs';

export const bench = { name: 'budget', parts: [ledger, ceiling, evict, fair, reclaim, relief, idleCost] };
