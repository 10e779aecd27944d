/**
 * What each activity runs, kept over restarts: handed over to the store when it changes. Which minds are gone the broker
 * says.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Phenotypes } from './phenotypes.js';

/** What the keys of the saved activities begin with. */
const ACTIVITY = 'activity/';

export class Activities {
  readonly #ctx: Context;
  readonly #phenotypes = new Phenotypes();

  constructor(ctx: Context, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    for (const [key, genes] of saved) {
      if (!key.startsWith(ACTIVITY)) continue;
      this.#phenotypes.run(key.slice(ACTIVITY.length), undefined, genes as readonly number[]);
    }
  }

  /** A turn runs these genes. False: it is granted again. */
  run(activity: string, turn: number | undefined, genes: readonly number[]): boolean {
    const before = this.#phenotypes.of(activity);
    const isNew = this.#phenotypes.run(activity, turn, genes);
    const isSame = before.length === genes.length && before.every((gene, i) => gene === genes[i]);
    if (!isSame) this.#ctx.save(ACTIVITY + activity, genes);
    return isNew;
  }

  bare(activity: string): void {
    this.#phenotypes.bare(activity);
    this.#ctx.save(ACTIVITY + activity, undefined);
  }

  left(mind: ActorId): void {
    for (const activity of this.#phenotypes.forget(mind)) this.#ctx.save(ACTIVITY + activity, undefined);
  }

  all(): string[] {
    return this.#phenotypes.activities();
  }

  /** Whether any of them will want the gene again. */
  wants(gene: number): boolean {
    return this.#phenotypes.wants(gene);
  }
}
