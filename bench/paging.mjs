/**
 * Paging: what it costs to move what minds need between device, host and disk.
 */
import { geneMoves } from './paging/gene-moves.mjs';
import { misses } from './paging/misses.mjs';

export const bench = { name: 'paging', parts: [geneMoves, misses] };
