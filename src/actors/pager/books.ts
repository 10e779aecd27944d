/**
 * What a pager hands over to the one after it: which files are lent, whose each is, and which pages are on their way to the
 * broker.
 */
import type { Context } from '../../runtime/actor.js';
import { Handed } from './handed.js';
import { Loans } from './loans.js';
import { Owners } from './owners.js';

export interface Books {
  readonly loans: Loans;
  readonly owners: Owners;
  readonly handed: Handed;
}

/** `saved`: of a pager before this one. */
export const openBooks = (ctx: Context, saved: ReadonlyMap<string, unknown>): Books => ({
  loans: new Loans(ctx, saved),
  owners: new Owners(ctx, saved),
  handed: new Handed(ctx, saved),
});
