/**
 * What each activity runs: the phenotype of its newest turn that was granted genes (G6). As plain data.
 */
import type { ActorId } from '../../runtime/address.js';

export class Phenotypes {
  readonly #genes = new Map<string, readonly number[]>();

  /** Its genes from now on; with none it is not kept. */
  set(activity: string, genes: readonly number[]): void {
    if (genes.length > 0) this.#genes.set(activity, genes);
    else this.#genes.delete(activity);
  }

  /** A mind is gone, and its activities with it. */
  forget(mind: ActorId): void {
    for (const activity of this.#genes.keys()) {
      if (activity.startsWith(`${mind}/`)) this.#genes.delete(activity);
    }
  }

  /** Genes that the phenotype of any activity has. */
  genes(): Set<number> {
    return new Set([...this.#genes.values()].flat());
  }
}
