/**
 * The Savina suite, as far as it runs within one thread, against nact and XState. Reported, without bars.
 */
import { SAVINA } from '../savina/suite.mjs';
import { comparison } from './comparison.mjs';

const PAIRS = 9;
const SLICE_MS = 200;

export const savina = SAVINA.flatMap(({ name, parameters }) =>
  ['nact', 'xstate'].map((peer) =>
    comparison({
      figure: `savina-${name}-${peer}`,
      bar: null,
      sides: ['savina/troupe#troupe', `peers/savina#${peer}`],
      options: { name, pairs: PAIRS, sliceMs: SLICE_MS },
      of: `messages (${Object.entries(parameters)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ')})`,
    }),
  ),
);
