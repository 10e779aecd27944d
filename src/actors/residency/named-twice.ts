/**
 * Two names of one gene in a phenotype: the same content is one gene, and a turn runs each once, at one scale. Pure.
 */
import { BadArgument, type TroupeError } from '../../errors.js';
import type { PinnedGene } from './protocol.js';

/** Why such a phenotype cannot be run; undefined: it can. */
export function namedTwice(genes: readonly Pick<PinnedGene, 'name' | 'gene'>[]): TroupeError | undefined {
  const names = new Map<number, string>();
  for (const { name, gene } of genes) {
    const other = names.get(gene);
    if (other !== undefined) {
      const expected = `each gene once: ${other} and ${name} are two names of the same gene`;
      return new BadArgument({ argument: 'genes', value: [other, name], expected });
    }
    names.set(gene, name);
  }
  return undefined;
}
