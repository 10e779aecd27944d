/**
 * Paging: what it costs to move what minds need between device, host and disk.
 */
import { geneMoves } from './paging/gene-moves.mjs';
import { misses } from './paging/misses.mjs';
import { pages } from './paging/pages.mjs';
import { pagesMixed } from './paging/pages-mixed.mjs';

export const bench = { name: 'paging', parts: [geneMoves, misses, pages, pagesMixed] };
