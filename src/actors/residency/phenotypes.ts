/**
 * What each activity runs: the phenotype of its newest turn that was granted genes (G6). As plain data.
 */
import type { ActorId } from '../../runtime/address.js';
import { type Activity, mindOf } from '../activity.js';

interface Runs {
  /** The mind's own number of that turn; undefined: it was before this residency's start. */
  readonly turn: number | undefined;
  readonly genes: readonly number[];
}

export class Phenotypes {
  readonly #minds = new Map<ActorId, Map<Activity, Runs>>();
  /** How many activities have each gene. */
  readonly #wanted = new Map<number, number>();

  /** A turn of an activity runs these. False: it is known to, and was reclaimed and granted again. */
  run(activity: Activity, turn: number | undefined, genes: readonly number[]): boolean {
    const before = this.#minds.get(mindOf(activity))?.get(activity);
    this.bare(activity);
    const mine = this.#minds.get(mindOf(activity)) ?? new Map<Activity, Runs>();
    this.#minds.set(mindOf(activity), mine.set(activity, { turn, genes }));
    for (const gene of genes) this.#wanted.set(gene, (this.#wanted.get(gene) ?? 0) + 1);
    return before === undefined || before.turn !== turn;
  }

  /** It runs none from now on. */
  bare(activity: Activity): void {
    const mine = this.#minds.get(mindOf(activity));
    for (const gene of mine?.get(activity)?.genes ?? []) {
      const left = (this.#wanted.get(gene) ?? 0) - 1;
      if (left > 0) this.#wanted.set(gene, left);
      else this.#wanted.delete(gene);
    }
    mine?.delete(activity);
    if (mine?.size === 0) this.#minds.delete(mindOf(activity));
  }

  /** A mind is gone, and its activities with it. Answers which. */
  forget(mind: ActorId): Activity[] {
    const activities = [...(this.#minds.get(mind)?.keys() ?? [])];
    for (const activity of activities) this.bare(activity);
    return activities;
  }

  of(activity: Activity): readonly number[] {
    return this.#minds.get(mindOf(activity))?.get(activity)?.genes ?? [];
  }

  /** Activities with genes. */
  activities(): Activity[] {
    return [...this.#minds.values()].flatMap((mine) => [...mine.keys()]);
  }

  /** Whether the phenotype of any activity has the gene. */
  wants(gene: number): boolean {
    return this.#wanted.has(gene);
  }
}
