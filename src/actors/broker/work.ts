/**
 * How much each mind has had: the accounts that order turns of one class (T5).
 */

/** Work of a run: a produced token costs a step of its own, a prompt token shares one. */
export const workOf = (processedTokens: number, producedTokens: number): number =>
  processedTokens + 2 * producedTokens;

/** What one mind has had. Its turns refer to it, so that whoever orders them looks nothing up. */
export interface Account {
  work: number;
  /** When the mind last got a grant, in ms; minus infinity: never. */
  servedAt: number;
}

export const openAccount = (): Account => ({ work: 0, servedAt: Number.NEGATIVE_INFINITY });

/**
 * The work that a mind comes back with: its own, or the least of those waiting if that is more, so that having been
 * away earns nothing. A mind that has a turn waiting or running was not away, and is not lifted.
 */
export function liftedWork(own: number, waiting: Iterable<{ readonly account: Account }>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { account } of waiting) if (account.work < least) least = account.work;
  return Number.isFinite(least) ? Math.max(own, least) : own;
}
