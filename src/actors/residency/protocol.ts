/**
 * What the residency understands: genes by their names, where they are, and the pins that keep them while a grant has
 * them.
 */
import type { GeneInfo, Tier } from '../../native/addon.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { Activity } from '../activity.js';

/** A gene as callers say it; the scale multiplies what its file says. */
export interface NamedGene {
  readonly gene: string;
  readonly scale: number;
}

/** The same as a run has it: by the number of what is loaded under that name. */
export interface PinnedGene {
  readonly name: string;
  readonly gene: number;
  readonly scale: number;
}

/** A gene that is loaded, under the name that its user gave it. */
export interface NamedGeneInfo extends GeneInfo {
  readonly name: string;
  readonly path: string;
  /** It is the optimizer's: it stays where it is. */
  readonly learning: boolean;
}

/** Asked on the user band, one after another. */
export type ResidencyMessage =
  /**
   * Loads a gene under a name; the answer is its `NamedGeneInfo`. Refuses with NotAGene, GeneTruncated, GeneUnfit,
   * GeneNameTaken, GeneInUse.
   */
  | {
      readonly type: 'load';
      readonly path: string;
      readonly name: string;
      readonly replace: boolean;
      readonly learning: boolean;
    }
  /** Takes a name away, and frees the gene if it was the last. Refuses with NoSuchGene, GeneInUse. */
  | { readonly type: 'unload'; readonly name: string }
  /** To itself, when it is started again: frees genes that were loaded and have no name, whatever was being done. */
  | { readonly type: 'free-nameless'; readonly genes: readonly number[] }
  /** The answer is a `GeneMove`. Refuses with NoSuchGene, GeneInUse, GeneChanged, NativeFailure. */
  | { readonly type: 'page-out'; readonly name: string }
  /** The answer is a `GeneMove`. Refuses with NoSuchGene, GeneSlotsFull, GeneChanged, NativeFailure. */
  | { readonly type: 'page-in'; readonly name: string };

/**
 * Asked by the broker on the control band, when memory is short: so many bytes of genes that nobody needs now are to leave
 * a pool, within the deadline. The answer is a `Relieved`, given when they have, or at the deadline.
 */
export interface Relieve {
  readonly type: 'relieve';
  /** Numbers of asks only go up. */
  readonly ask: number;
  readonly bytes: number;
  /** Tiers of genes that lie in the pressed pool: both where the device computes in host memory. */
  readonly tiers: readonly Tier[];
  readonly deadlineMs: number;
}

/** Told by the broker when it has changed: how full the pool is in which genes on the device lie (B3). */
export interface PoolUse {
  readonly type: 'pool-use';
  /** Without what relief never takes, as is the capacity; a capacity of 0: it is not managed. */
  readonly usedBytes: number;
  readonly capacityBytes: number;
  readonly tiers: readonly Tier[];
}

/** `bytes`: what really came free. `deferred`: the rest will, later than the deadline. */
export interface Relieved {
  readonly type: 'relieved';
  readonly ask: number;
  readonly outcome: 'released' | 'partial' | 'deferred' | 'refused';
  readonly bytes: number;
}

/** Asked on the control band: answered at once. */
export type ResidencyQuestion =
  /** The answer is a list of `NamedGeneInfo`. */
  | { readonly type: 'list' }
  /** The answer is a `GeneStats`. */
  | { readonly type: 'stats' };

/** What moving a gene did. */
export interface GeneMove {
  /** Whether it is on the device now. */
  readonly resident: boolean;
  readonly nBytes: number;
  /** 0: it was there. */
  readonly nMoved: number;
  readonly tMs: number;
}

/** Where genes are, and what has been moved since the start. */
export interface GeneStats {
  /** Genes that the device may hold, and bytes of them on the host; null: as many as there are. */
  readonly slots: number | null;
  readonly hostLimitBytes: number;
  readonly deviceGenes: number;
  readonly deviceBytes: number;
  readonly hostGenes: number;
  readonly hostBytes: number;
  readonly diskGenes: number;
  readonly pagedOut: number;
  /** Of these `pagedInOnDemand` because a turn needed them. */
  readonly pagedIn: number;
  readonly pagedInOnDemand: number;
  /** Host copies that were dropped. */
  readonly dropped: number;
  readonly failed: number;
}

/** How many genes were not on the device when a turn asked for them, and their bytes. */
export interface GenesMissed {
  readonly genes: number;
  readonly bytes: number;
}

/** What a phenotype by names came to, when its genes were pinned. */
export interface PinnedPhenotype {
  readonly genes: readonly PinnedGene[];
  readonly missed: GenesMissed;
}

/** From the broker: it alone pins. */
export type BrokerToResidency =
  /** The genes of a grant are to be on the device, and to stay there until `unpin`; all of them, or none. */
  | {
      readonly type: 'pin';
      readonly grant: number;
      readonly activity: Activity;
      /** The mind's own number of the turn: one that is granted again uses its genes once. */
      readonly turn: number | undefined;
      readonly genes: readonly NamedGene[];
    }
  /** Said again of a grant that has its genes. */
  | {
      readonly type: 'hold';
      readonly grant: number;
      readonly activity: Activity;
      readonly turn: number | undefined;
      readonly genes: readonly PinnedGene[];
    }
  /** All grants have been said again that have genes, after `genes-up`. */
  | { readonly type: 'all-said' }
  | { readonly type: 'unpin'; readonly grant: number }
  /** An activity that ran genes runs none now. */
  | { readonly type: 'bare'; readonly activity: Activity }
  /** A mind is gone for good: its activities have no phenotype any more. */
  | { readonly type: 'left'; readonly mind: ActorId }
  /** It has said of every turn that has ended that it did. */
  | { readonly type: 'confirmed'; readonly question: number }
  /** The broker was started again: it knows of no grants, and wants `genes-up`. */
  | { readonly type: 'forget' };

/** What there is to be pinned. */
export interface GeneStock {
  /** The gene that each name stands for. */
  readonly named: ReadonlyMap<string, number>;
  /** Genes that keep their slots whoever runs what. */
  readonly fixed: readonly number[];
  /** Genes that the device holds at most. */
  readonly slots: number;
}

export type ResidencyToBroker =
  /**
   * It was started, and knows of no pins: the broker says them anew. `activities`: those that ran genes last, as it knows them;
   * some minds may be gone.
   */
  | { readonly type: 'genes-up'; readonly stock: GeneStock; readonly activities: readonly Activity[] }
  | { readonly type: 'stock'; readonly stock: GeneStock }
  | {
      readonly type: 'pinned';
      readonly grant: number;
      readonly genes: readonly PinnedGene[];
      readonly missed: GenesMissed;
    }
  /** There is no room for its genes beside those that other grants hold; nothing is pinned. */
  | { readonly type: 'short'; readonly grant: number }
  /** The grant cannot have them. */
  | { readonly type: 'unpinned'; readonly grant: number; readonly error: ErrorEnvelope }
  /** Wants to hear `confirmed`, when those who hold the gene have been asked whether they still run it. */
  | { readonly type: 'confirm'; readonly question: number; readonly gene: number };

export interface ResidencyArgs {
  /** Names that are active by default: they are neither unloaded nor paged out. */
  readonly default: readonly string[];
  /** Genes that the device holds at most; undefined: no limit. */
  readonly slots: number | undefined;
  /** Bytes of other genes that the host holds at most. */
  readonly hostBytes: number;
  /** Number of the loaded weights. */
  readonly model: number;
  /** Told of genes that are gone. */
  readonly engine: ActorId;
  readonly broker: ActorId;
}
