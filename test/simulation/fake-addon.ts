/**
 * A native engine for simulations, at the addon's TypeScript face. A token is a byte; the next one follows from all those
 * that the lane holds (`fake-context.ts`). It can be made to be slow, to fail a step, to throw, to refuse to be opened, and
 * to need more memory for a while.
 */
import type { Addon, GeneInfo, NativeFiles, NativeModel, Tier } from '../../src/native/addon.js';
import { FakeContext } from './fake-context.js';
import { FakeDisk } from './fake-disk.js';
import { FakeGenes } from './fake-genes.js';
import { FakePages } from './fake-pages.js';
import { EOS } from './fake-tokens.js';

const BYTES = 256;
const MODEL = 1;
/** Short, for what a template costs is most of what a turn does here. */
const TEMPLATE = "{% for m in messages %}{{ m.role + ':' + m.content + '\\n' }}{% endfor %}";

export type NativeFault =
  /** The next step takes so long; fails; ends the engine; and the engine cannot be opened the next time. */
  | { readonly kind: 'slow-step'; readonly at: number; readonly ms: number }
  | { readonly kind: 'failed-step'; readonly at: number; readonly noRoom: boolean }
  | { readonly kind: 'engine-crash'; readonly at: number; readonly refuses: boolean }
  /** For so many messages, its steps need so many bytes more, which nobody can take back. */
  | { readonly kind: 'pressure'; readonly at: number; readonly bytes: number; readonly during: number };

type StepFault = Exclude<NativeFault, { readonly kind: 'pressure' }>;

export interface FakeEvents {
  /** Time passes while a step runs. */
  pass(ms: number): void;
  /** Messages handled so far: a fault comes when there were so many. */
  readonly messages: number;
  /** Whatever runs the engine now: what an earlier one held is gone with it. */
  readonly owner: unknown;
  /** Which grant holds a gene, that it may not leave the device. */
  pinnedBy(gene: number): number | undefined;
  broken(property: string, what: string): void;
}

const NOBODY: FakeEvents = {
  pass() {},
  messages: 0,
  owner: undefined,
  pinnedBy: () => undefined,
  broken() {},
};
const NO_FILES = {} as NativeFiles;

export class FakeAddon implements Addon {
  readonly version = 'fake';
  readonly systemInfo = 'fake';
  pages = new FakePages(new FakeDisk([]));
  genes = new FakeGenes();
  files = NO_FILES;
  faults: StepFault[] = [];
  events = NOBODY;
  occurred = 0;
  /** The latest. */
  context: FakeContext | undefined;
  /** Told of each context before it is used. */
  onContext: (context: FakeContext) => void = () => {};
  #refusing = false;
  #pressures: (NativeFault & { readonly kind: 'pressure' })[] = [];
  readonly #felt = new Set<NativeFault>();

  /** Begins anew, for another run, over a disk. */
  reset(faults: readonly NativeFault[], events: FakeEvents, disk: FakeDisk, files: NativeFiles): void {
    this.faults = faults.filter((fault) => fault.kind !== 'pressure');
    this.#pressures = faults.filter((fault) => fault.kind === 'pressure');
    this.#felt.clear();
    this.events = events;
    this.files = files;
    this.occurred = 0;
    this.context = undefined;
    this.pages = new FakePages(disk);
    this.genes = new FakeGenes();
    this.#refusing = false;
  }

  loadModel = (): NativeModel => this.#model();
  attachModel = (): NativeModel => this.#model();
  live = (): { models: number; contexts: number; genes: number } => ({ models: 0, contexts: 0, genes: 0 });

  readHeader(): never {
    throw new Error('a simulation reads no file');
  }

  /** By what would be the hash of its content. */
  loadGene = (hash: string): GeneInfo => this.genes.load(hash);

  unloadGene(id: number): void {
    this.genes.unload(id, this.context?.runs(id) ?? false);
    this.#left(id);
  }

  moveGene(id: number, to: Tier): boolean {
    const moved = this.genes.move(id, to, this.context?.runs(id) ?? false);
    if (to !== 'device') this.#left(id);
    return moved;
  }

  /** Bytes that a step needs now. */
  get stepBytes(): number {
    const { messages } = this.events;
    const felt = this.#pressures.filter(({ at, during }) => at <= messages && messages < at + during);
    for (const fault of felt) {
      if (!this.#felt.has(fault)) this.occurred++;
      this.#felt.add(fault);
    }
    return felt.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** What is to happen in the step that begins now. */
  nextStep(): StepFault | undefined {
    const due = this.faults.findIndex(({ at }) => at <= this.events.messages);
    if (due < 0) return undefined;
    this.occurred++;
    const [fault] = this.faults.splice(due, 1);
    if (fault?.kind === 'engine-crash') this.#refusing = fault.refuses;
    return fault;
  }

  #left(gene: number): void {
    const grant = this.events.pinnedBy(gene);
    if (grant === undefined) return;
    this.events.broken('no pinned gene leaves the device', `gene ${gene} left, and grant ${grant} holds it`);
  }

  #model(): NativeModel {
    const info = {
      ...{
        id: MODEL,
        path: 'fake',
        architecture: 'fake',
        description: 'fake',
        parameters: 1,
        weightBytes: 1,
      },
      ...{ contextTrain: 4096, vocabulary: BYTES + 1, embedding: 1, layers: 1, canRollBack: true },
      ...{ recurrent: false, hybrid: false, slidingWindow: 0, addBos: false, bos: -1, eos: EOS },
      template: TEMPLATE,
    };
    return {
      info,
      tokenize: (text) => Int32Array.from(Buffer.from(text)),
      detokenize: (tokens) => Uint8Array.from([...tokens].filter((token) => token < BYTES)),
      pieces: () => ({
        bytes: Uint8Array.from({ length: BYTES }, (_, byte) => byte),
        offsets: Uint32Array.from({ length: BYTES + 2 }, (_, token) => Math.min(token, BYTES)),
      }),
      specials: () => [],
      ends: () => Int32Array.of(EOS),
      context: (options) => {
        if (this.#refusing) {
          this.#refusing = false;
          throw new Error('the engine refuses, as the seed says');
        }
        // That of an engine that was lost with its thread has gone with it.
        this.context?.closeWindow();
        this.context = new FakeContext(options, this);
        this.onContext(this.context);
        return this.context;
      },
      close: () => {},
      loadGene: (_bytes, { hash }) => this.loadGene(hash),
      unloadGene: (id) => this.unloadGene(id),
      moveGene: (id, to) => this.moveGene(id, to),
      genes: () => this.genes.list(),
    };
  }
}
