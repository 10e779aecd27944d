/**
 * What moves while the demo runs: contexts of minds out of lanes and back, genes to the device and away from it. Counted from
 * the troupe's probes.
 */
import type { Troupe } from '../index.js';
import { counted, whole } from './figures.js';

/** The newest moves are shown, so many of them. */
const SHOWN = 3;

export interface Moves {
  readonly pagesOut: number;
  readonly pagesIn: number;
  readonly genesIn: number;
  readonly genesOut: number;
  /** The newest moves in words, the newest first. */
  readonly newest: readonly string[];
}

export const NO_MOVES: Moves = { pagesOut: 0, pagesIn: 0, genesIn: 0, genesOut: 0, newest: [] };

/** Counts until it is disposed of. `names`: of minds, by their ids. */
export function watchMoves(
  troupe: Pick<Troupe, 'onProbe'>,
  names: ReadonlyMap<number, string>,
): { look(): Moves; [Symbol.dispose](): void } {
  let moves = NO_MOVES;
  const add = (counts: Partial<Moves>, words: string): void => {
    moves = { ...moves, ...counts, newest: [words, ...moves.newest].slice(0, SHOWN) };
  };
  const off = troupe.onProbe(({ name, ...probe }) => {
    if (name === 'page.move') {
      const mind = names.get(Number.parseInt(String(probe.activity), 10)) ?? 'a mind';
      if (probe.to === 'page') add({ pagesOut: moves.pagesOut + 1 }, `${mind} out`);
      else add({ pagesIn: moves.pagesIn + 1 }, `${mind} in`);
    } else if (name === 'genome.page') {
      const words = `${probe.gene} to ${probe.to}`;
      if (probe.to === 'device') add({ genesIn: moves.genesIn + 1 }, words);
      else add({ genesOut: moves.genesOut + 1 }, words);
    }
  });
  return { look: () => moves, [Symbol.dispose]: off };
}

/** "12 contexts out of lanes, 9 back in; 3 genes in, 2 out". */
export function describeMoves({ pagesOut, pagesIn, genesIn, genesOut }: Moves): string {
  const pages = `${counted(pagesOut, 'context')} out of lanes, ${whole(pagesIn)} back in`;
  return `${pages}; ${counted(genesIn, 'gene')} in, ${whole(genesOut)} out`;
}
