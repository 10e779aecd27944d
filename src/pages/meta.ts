/**
 * What a page says of its activity beside KV and tokens: whose it is, and under which genes it was computed. Genes are named
 * by the hash of their content, so that it means the same in any process. Pure.
 */
import { PageCorrupt, PageMismatch } from '../errors.js';

export interface PageGene {
  readonly hash: string;
  /** As float32. */
  readonly scale: number;
}

export interface PageMeta {
  /** The engine that made it, and what that called the activity. */
  readonly owner: string;
  readonly activity: string;
  readonly genes: readonly PageGene[];
  /** So many of the first tokens ran no genes. */
  readonly base: number;
}

/** What was computed under one phenotype is of no use under another. Throws PageMismatch. */
export function checkGenes(page: readonly PageGene[], here: readonly PageGene[]): void {
  const [theirs, ours] = [said(page), said(here)];
  if (theirs !== ours) throw new PageMismatch({ field: 'phenotype', page: theirs, here: ours });
}

const said = (genes: readonly PageGene[]): string =>
  genes
    .map(({ hash, scale }) => `${hash.slice(0, 12)} x ${Math.fround(scale)}`)
    .sort()
    .join(', ') || 'no genes';

const VERSION = 1;

export function writeMeta({ owner, activity, genes, base }: PageMeta): Uint8Array {
  const sorted = [...genes].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const all = sorted.map(({ hash, scale }) => [hash, Math.fround(scale)]);
  // Without genes, all tokens ran none.
  const first = all.length === 0 ? 0 : base;
  return Buffer.from(JSON.stringify({ version: VERSION, owner, activity, genes: all, base: first }));
}

/** Throws PageCorrupt. */
export function readMeta(bytes: Uint8Array): PageMeta {
  const { version, owner, activity, genes, base } = parse(bytes);
  if (version !== VERSION || !Array.isArray(genes) || !isCount(base)) throw corrupt();
  if (typeof owner !== 'string' || typeof activity !== 'string') throw corrupt();
  const all = genes.map((gene: unknown) => {
    const [hash, scale] = Array.isArray(gene) ? (gene as unknown[]) : [];
    if (typeof hash !== 'string' || typeof scale !== 'number') throw corrupt();
    return { hash, scale };
  });
  return { owner, activity, genes: all, base: all.length === 0 ? Number.POSITIVE_INFINITY : base };
}

/** Whose a page is, of one that may be anybody's; nobody's if it does not say. */
export function ownerOf(bytes: Uint8Array | undefined): Pick<PageMeta, 'owner' | 'activity'> {
  const { owner, activity } = bytes === undefined ? {} : parse(bytes);
  const says = typeof owner === 'string' && typeof activity === 'string';
  return says ? { owner, activity } : { owner: '', activity: '' };
}

function parse(bytes: Uint8Array): Partial<Record<keyof PageMeta | 'version', unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const corrupt = (): Error => new PageCorrupt({ what: 'its description', reason: 'it is not one' });
