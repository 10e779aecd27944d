/**
 * Paging: what it costs to move what minds need between device, host and disk.
 */
import { gaps } from './paging/gaps.mjs';
import { geneMoves } from './paging/gene-moves.mjs';
import { misses } from './paging/misses.mjs';
import { pages } from './paging/pages.mjs';
import { pagesMixed } from './paging/pages-mixed.mjs';
import { relaunches } from './paging/relaunches.mjs';
import { resumes } from './paging/resume.mjs';

export const bench = {
  name: 'paging',
  parts: [geneMoves, misses, pages, pagesMixed, ...resumes, ...gaps, relaunches],
};
