/**
 * Whether the genes of a turn fit on the device beside those of others: plain data, and functions of it. Pure.
 */
export interface GeneRoom {
  /** Genes that the device holds at most. */
  readonly slots: number;
  /** Genes that keep their slots whoever runs what. */
  readonly fixed: ReadonlySet<number>;
  /** These, and those that grants hold. */
  readonly taken: ReadonlySet<number>;
}

/** Whether there are too few slots for these genes, each named once, beside those that are taken. */
export function lacksSlots({ slots, taken }: GeneRoom, genes: readonly number[]): boolean {
  let more = 0;
  for (const gene of genes) if (!taken.has(gene)) more++;
  return more > 0 && taken.size + more > slots;
}

/** Whether a turn with these genes leaves alone what comes free for another one: it holds none that the other does not. */
export const sparesSlots = (
  { fixed }: GeneRoom,
  genes: readonly number[],
  other: readonly number[],
): boolean => genes.every((gene) => fixed.has(gene) || other.includes(gene));

/** Which genes keep slots of the device, and for whom. */
export interface HeldGenes {
  readonly slots: number;
  readonly fixed: readonly number[];
  /** What each grant holds. */
  readonly pins: ReadonlyMap<number, readonly number[]>;
}

/** The room there is when the grants that are `gone` hold nothing any more. */
export function roomOf({ slots, fixed, pins }: HeldGenes, gone?: ReadonlySet<number>): GeneRoom {
  const taken = new Set(fixed);
  for (const [grant, genes] of pins) if (!gone?.has(grant)) for (const gene of genes) taken.add(gene);
  return { slots, fixed: new Set(fixed), taken };
}
