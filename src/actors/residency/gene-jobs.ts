/**
 * The jobs that read, move and free genes, on a pool of the residency's own: made with the first of them, since most
 * troupes run no genes; from then on a thread is kept, since a turn may wait for what it does. A move in which no byte moves
 * is none of them: it takes less than to wake a thread. Once it is closed nothing is done any more: whoever comes after looks where
 * the genes are.
 */
import type { GeneJob, GeneJobAnswer, GeneMoveOrder } from '../../jobs/genes.js';
import type { GeneInfo, NativeModel, Tier } from '../../native/addon.js';
import { loadAddon } from '../../native/load.js';
import { ActorEnded } from '../../runtime/errors.js';
import { Offload } from '../../runtime/offload.js';

/** Reading a large file from a slow disk takes minutes. */
const LOAD_MS = 600_000;
/** A load and a move beside it. */
const THREADS = 2;

/** What the residency needs of it. */
export type GeneWork = Pick<GeneJobs, 'load' | 'unload' | 'move' | 'moveInPlace' | 'list' | 'close'>;

const JOB = new URL('../../jobs/genes.js', import.meta.url).href;

export class GeneJobs {
  readonly #model: number;
  #pool: Offload | undefined;
  /** This thread's handle on the weights. */
  #weights: NativeModel | undefined;
  #closed = false;

  /** `model`: number of the loaded weights. */
  constructor(model: number) {
    this.#model = model;
  }

  /** Rejects with NotAGene, GeneTruncated, GeneUnfit; as all here with ActorEnded once it is closed. */
  load(path: string): Promise<GeneInfo> {
    return this.#run({ what: 'load', model: this.#model, path });
  }

  /** Rejects with GeneInUse, GeneAbsent. */
  unload(gene: number): Promise<undefined> {
    return this.#run({ what: 'unload', model: this.#model, gene });
  }

  /** Rejects with GeneInUse, GeneAbsent, GeneChanged, NativeFailure; the gene is then where it was. */
  move(order: GeneMoveOrder): Promise<GeneJobAnswer['move']> {
    return this.#run({ what: 'move', model: this.#model, ...order });
  }

  /** One that is `inPlace`, between device and host, at once. Throws as `move` rejects. */
  moveInPlace(gene: number, to: Tier): void {
    this.#checkOpen();
    this.#weights ??= loadAddon().attachModel(this.#model);
    this.#weights.moveGene(gene, to);
  }

  list(): Promise<GeneInfo[]> {
    return this.#run({ what: 'list', model: this.#model });
  }

  /** Settles when no thread does anything any more: a move that has begun ends first, and answers nobody. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#weights?.close();
    await this.#pool?.close();
  }

  async #run<What extends GeneJob['what']>(
    job: GeneJob & { readonly what: What },
  ): Promise<GeneJobAnswer[What]> {
    this.#checkOpen();
    this.#pool ??= new Offload({ threads: THREADS, kept: 1 });
    return this.#pool.run<GeneJobAnswer[What]>(JOB, job, LOAD_MS);
  }

  #checkOpen(): void {
    if (this.#closed) throw new ActorEnded({ actor: 'the residency', reason: 'another one has the genes' });
  }
}
