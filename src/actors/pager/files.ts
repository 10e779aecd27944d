/**
 * The pager's half on disk: spills and restores of activities, over a folder that is opened when it is first needed.
 */
import { NoSuchGene, NoSuchPage } from '../../errors.js';
import type { PageGene } from '../../pages/meta.js';
import { PageFiles } from '../../pages/page-files.js';
import type { Context } from '../../runtime/actor.js';
import { Band } from '../../runtime/message.js';
import { Offload } from '../../runtime/offload.js';
import type { PageList as HostPages } from '../broker/protocol.js';
import type { Activity, PageMove, PageRecord } from '../engine/protocol.js';
import type { NamedGene, NamedGeneInfo } from '../residency/protocol.js';
import type { FileMessage, MoveMessage, PagerAnswers, PagerArgs, Recalled } from './protocol.js';

type Of<Type extends FileMessage['type']> = FileMessage & { readonly type: Type };

export class Files {
  readonly #ctx: Context;
  readonly #args: PagerArgs;
  readonly #move: (message: MoveMessage) => Promise<PageMove>;
  #offload: Offload | undefined;
  #files: Promise<PageFiles> | undefined;

  /** `move`: has an activity leave its lane. */
  constructor(ctx: Context, args: PagerArgs, move: (message: MoveMessage) => Promise<PageMove>) {
    this.#ctx = ctx;
    this.#args = args;
    this.#move = move;
  }

  async answer(message: FileMessage): Promise<PagerAnswers[FileMessage['type']]> {
    switch (message.type) {
      case 'spill':
        return this.#spill(message);
      case 'restore':
        return this.#restore(message);
      case 'files':
        return (await this.#open()).list();
      case 'remove-file':
        await (await this.#open()).remove(message.name);
        return undefined;
    }
  }

  async close(): Promise<void> {
    const files = await this.#files?.catch(() => undefined);
    await files?.close();
    await this.#offload?.close();
  }

  async #spill({ activity, mind, name, drop, transcript, deadlineMs }: Of<'spill'>) {
    const { page } = (await this.#find(activity)) ?? (await this.#out({ activity, mind, name, deadlineMs }));
    const files = await this.#open();
    const file = await files.spill({ name, page, transcript }, { deadlineMs });
    if (drop) await this.#drop(activity, page);
    return file;
  }

  async #restore({ activity, name, genes, deadlineMs }: Of<'restore'>): Promise<Recalled> {
    const files = await this.#open();
    const expected = await this.#hashes(genes);
    const { page, charged, ...file } = await files.restore({ name, genes: expected }, { deadlineMs });
    const record: PageRecord = { activity, page, held: file.cells, bytes: charged };
    await this.#ctx.ask(this.#args.broker, { type: 'adopt-page', record });
    return file;
  }

  async #find(activity: Activity): Promise<PageRecord | undefined> {
    const pages = await this.#ctx.ask<HostPages>(this.#args.broker, { type: 'pages' });
    return pages.find((record) => record.activity === activity);
  }

  async #out(what: Omit<MoveMessage, 'type'>): Promise<PageRecord> {
    await this.#move({ type: 'page-out', ...what });
    const record = await this.#find(what.activity);
    if (record === undefined) throw new NoSuchPage({ name: what.name });
    return record;
  }

  /** That generation and no newer one; it may have come back into a lane meanwhile, and stays there. */
  async #drop(activity: Activity, page: number): Promise<void> {
    try {
      await this.#ctx.ask(this.#args.broker, { type: 'drop-page', activity, page });
    } catch (error) {
      if (!(error instanceof NoSuchPage)) throw error;
    }
  }

  async #hashes(genes: readonly NamedGene[]): Promise<PageGene[]> {
    if (genes.length === 0) return [];
    const known = await this.#ctx.ask<NamedGeneInfo[]>(
      this.#args.residency,
      { type: 'list' },
      { band: Band.reserved },
    );
    return genes.map(({ gene, scale }) => {
      const found = known.find(({ name }) => name === gene);
      if (found === undefined) throw new NoSuchGene({ name: gene });
      return { hash: found.hash, scale };
    });
  }

  /** A folder that could not be opened is tried again the next time. */
  #open(): Promise<PageFiles> {
    this.#offload ??= new Offload();
    this.#files ??= PageFiles.open(this.#args.dir, this.#offload).catch((error: unknown) => {
      this.#files = undefined;
      throw error;
    });
    return this.#files;
  }
}
