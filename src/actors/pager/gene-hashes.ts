/**
 * What genes are called on disk: by the hash of their content, which means the same in any process.
 */
import { NoSuchGene } from '../../errors.js';
import type { PageGene } from '../../pages/meta.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { NamedGene, NamedGeneInfo } from '../residency/protocol.js';

/** Of genes by their names. Rejects with NoSuchGene. */
export async function hashesOf(
  genes: readonly NamedGene[],
  ctx: Pick<Context, 'ask'>,
  residency: ActorId,
): Promise<PageGene[]> {
  if (genes.length === 0) return [];
  const known = await ctx.ask<NamedGeneInfo[]>(residency, { type: 'list' }, { band: Band.reserved });
  return genes.map(({ gene, scale }) => {
    const found = known.find(({ name }) => name === gene);
    if (found === undefined) throw new NoSuchGene({ name: gene });
    return { hash: found.hash, scale };
  });
}
