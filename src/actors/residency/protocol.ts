/**
 * What the residency understands: genes by their names, and the pins that keep them while a turn runs them.
 */
import type { GeneInfo } from '../../native/addon.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';

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
}

export type ResidencyMessage =
  /** Binds a name to what was loaded; the answer is a `Bound`. Refuses with GeneNameTaken, GeneInUse. */
  | { readonly type: 'bind'; readonly gene: NamedGeneInfo; readonly replace: boolean }
  /** Takes a name away; the answer is a `Bound`. Refuses with NoSuchGene, GeneInUse. */
  | { readonly type: 'unbind'; readonly name: string }
  /** The answer is a list of `NamedGeneInfo`. */
  | { readonly type: 'list' };

/** Genes that no name is bound to any more: whoever asked unloads them. */
export interface Bound {
  readonly orphans: readonly number[];
}

export type MindToResidency =
  | { readonly type: 'pin'; readonly turn: number; readonly genes: readonly NamedGene[] }
  | { readonly type: 'unpin'; readonly turn: number }
  /** The mind was started again: it knows of no turns. */
  | { readonly type: 'forget' }
  /** It has said of every turn that has ended that it did. */
  | { readonly type: 'confirmed'; readonly question: number };

export type ResidencyToMind =
  | { readonly type: 'pinned'; readonly turn: number; readonly genes: readonly PinnedGene[] }
  /** The residency was started again and knows of no pins: who pinned or waits says so anew. */
  | { readonly type: 'pin-again' }
  /** Wants to hear `confirmed`. */
  | { readonly type: 'confirm'; readonly question: number }
  /** The turn cannot have them. */
  | { readonly type: 'unpinned'; readonly turn: number; readonly error: ErrorEnvelope };

export interface ResidencyArgs {
  /** Names that are active by default: they are not unloaded. */
  readonly default: readonly string[];
  /** Told of genes that are gone. */
  readonly engine: ActorId;
}
