/**
 * Where a lane that cannot be cut back to any position leaves a checkpoint behind: where later runs of its activity may part
 * from this one, where its reply begins, and once in a while. Pure.
 *
 * A mark is served by a checkpoint a few tokens before it: to read these again is sooner done than another copy. Prompts are
 * read up to a mark and go on with the next step.
 */

/** The fewest tokens from one checkpoint to the next; about as many take as long to read as a large state takes to copy. */
export const APART = 32;
/**
 * The most tokens from one to the next: what a failed step may have to read again. A large recurrent state is then some
 * three times the KV of those tokens in a hybrid model, and the budget thins them out.
 */
export const STRIDE = 1024;

export interface Marks {
  /** Lengths of beginnings, ascending. */
  readonly partings: readonly number[];
  readonly replyAt: number;
}

/** How many tokens a lane that holds so many takes in, at most, until it has come to its next mark. */
export function rowsToMark(held: number, { partings, replyAt }: Marks): number {
  const near = held + APART;
  const next = partings.find((mark) => mark >= near) ?? Number.POSITIVE_INFINITY;
  const reply = replyAt >= near ? replyAt : Number.POSITIVE_INFINITY;
  return Math.min(next, reply, Math.ceil(near / STRIDE) * STRIDE) - held;
}

/** Whether a lane that holds so many tokens is to leave a checkpoint there; its newest one is at `kept`, 0: it has none. */
export function isDue(held: number, kept: number, { partings, replyAt }: Marks): boolean {
  const serves = (mark: number): boolean => mark - APART < held && held <= mark && kept <= mark - APART;
  return serves(Math.ceil(held / STRIDE) * STRIDE) || serves(replyAt) || partings.some(serves);
}
