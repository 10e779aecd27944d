/**
 * A native engine for simulations, at the addon's TypeScript face. A token is a byte; the next one follows from all those
 * that the lane holds. It can be made to be slow, to fail a step, to throw, and to refuse to be opened.
 */

import { GeneAbsent } from '../../src/errors.js';
import {
  type Addon,
  type AppliedGene,
  type ContextOptions,
  type GeneInfo,
  type NativeContext,
  type NativeModel,
  ROW_FIELDS,
  RowOutput,
  StepStatus,
  type Tier,
} from '../../src/native/addon.js';
import type { Checkpoint, CheckpointCounts, SectionData } from '../../src/native/pages.js';
import { computed, FakeGenes, type LaneGenes, laneGenes, NO_GENES } from './fake-genes.js';
import { FakePages } from './fake-pages.js';
import { EOS, nextToken } from './fake-tokens.js';

const BYTES = 256;
const MODEL = 1;
/** So long that turns overlap, and something can come between. */
const STEP_MS = 1;
/** Short, for what a template costs is most of what a turn does here. */
const TEMPLATE = "{% for m in messages %}{{ m.role + ':' + m.content + '\\n' }}{% endfor %}";

export type NativeFault =
  /** The next step takes so long; fails; ends the engine; and the engine cannot be opened the next time. */
  | { readonly kind: 'slow-step'; readonly at: number; readonly ms: number }
  | { readonly kind: 'failed-step'; readonly at: number; readonly noRoom: boolean }
  | { readonly kind: 'engine-crash'; readonly at: number; readonly refuses: boolean };

export interface FakeEvents {
  /** Time passes while a step runs. */
  pass(ms: number): void;
  /** Messages handled so far: a fault comes when there were so many. */
  readonly messages: number;
  /** Whatever runs the engine now: what an earlier one held is gone with it. */
  readonly owner: unknown;
  broken(what: string): void;
}

const noFiles = (): never => {
  throw new Error('a simulation has no files');
};

export class FakeAddon implements Addon {
  readonly version = 'fake';
  readonly systemInfo = 'fake';
  pages = new FakePages();
  genes = new FakeGenes();
  readonly files = { lock: noFiles, unlock: noFiles, claim: noFiles, unclaim: noFiles, yieldThread: noFiles };
  faults: NativeFault[] = [];
  events: FakeEvents = { pass() {}, messages: 0, owner: undefined, broken() {} };
  occurred = 0;
  /** The latest. */
  context: FakeContext | undefined;
  /** Told of each context before it is used. */
  onContext: (context: FakeContext) => void = () => {};
  #refusing = false;

  /** Begins anew, for another run. */
  reset(faults: readonly NativeFault[], events: FakeEvents): void {
    this.faults = [...faults];
    this.events = events;
    this.occurred = 0;
    this.context = undefined;
    this.pages = new FakePages();
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
  }

  moveGene(id: number, to: Tier): boolean {
    return this.genes.move(id, to, this.context?.runs(id) ?? false);
  }

  /** What is to happen in the step that begins now. */
  nextStep(): NativeFault | undefined {
    const due = this.faults.findIndex(({ at }) => at <= this.events.messages);
    if (due < 0) return undefined;
    this.occurred++;
    const [fault] = this.faults.splice(due, 1);
    if (fault?.kind === 'engine-crash') this.#refusing = fault.refuses;
    return fault;
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

export class FakeContext implements NativeContext {
  readonly lanes: number;
  readonly cells: number;
  readonly rows: number;
  readonly #addon: FakeAddon;
  readonly #kv: number[][];
  /** Of each lane, the numbers of its cells: those that lanes share are the same. */
  readonly #cells: number[][];
  #lastCell = 0;
  readonly #genes: LaneGenes[];
  readonly #owner: unknown;

  constructor({ lanes, cells, rows }: ContextOptions, addon: FakeAddon) {
    this.lanes = lanes;
    this.cells = cells;
    this.rows = rows;
    this.#addon = addon;
    this.#kv = Array.from({ length: lanes }, () => []);
    this.#cells = this.#kv.map(() => []);
    this.#genes = this.#kv.map(() => NO_GENES);
    this.#owner = addon.events.owner;
  }

  step(rows: Int32Array, count: number, sampled: Int32Array): StepStatus {
    const fault = this.#addon.nextStep();
    this.#addon.events.pass(fault?.kind === 'slow-step' ? fault.ms : STEP_MS);
    if (fault?.kind === 'engine-crash') throw new Error('the engine crashed, as the seed says');
    let outputs = 0;
    for (let row = 0; row < count; row++) {
      const [token, lane, position, output] = rows.subarray(ROW_FIELDS * row, ROW_FIELDS * (row + 1));
      const held = this.#kv[lane as number] as number[];
      if (held.length !== position)
        this.#addon.events.broken(`lane ${lane} is at ${held.length}, not ${position}`);
      held.push(computed(token as number, held.length, this.#genes[lane as number] as LaneGenes));
      this.#fill(lane as number);
      // A step that fails leaves part of its rows behind.
      if (fault?.kind === 'failed-step' && row >= count / 2) {
        return fault.noRoom ? StepStatus.noRoom : StepStatus.failed;
      }
      if (output === RowOutput.sample) sampled[outputs++] = nextToken(held);
    }
    this.#count();
    return StepStatus.ok;
  }

  failure = (): string => 'as the seed says';
  logProbability = (): number => 0;
  logits = (): Float32Array => new Float32Array(0);
  setSampler(): void {}

  /** Throws for a gene that is not loaded. */
  setGenes(lane: number, genes: readonly AppliedGene[], from?: number): void {
    const absent = genes.find(({ gene }) => this.#addon.genes.tierOf(gene) !== 'device');
    if (absent !== undefined) throw new GeneAbsent({ reason: `there is no gene ${absent.gene}` });
    this.#genes[lane] = laneGenes(genes, from);
  }

  /** Whether a lane runs a gene. */
  runs(gene: number): boolean {
    return this.#owner === this.#addon.events.owner && this.#genes.some(({ ids }) => ids.includes(gene));
  }

  reused = (): number => 0;

  /** Tokens that all lanes hold. */
  get held(): number {
    return this.#kv.reduce((sum, lane) => sum + lane.length, 0);
  }

  /** Cells that they take. */
  get taken(): number {
    return new Set(this.#cells.flat()).size;
  }

  /** Each token of a lane has a cell. */
  #fill(lane: number): void {
    const [held, cells] = [this.#kv[lane] as number[], this.#cells[lane] as number[]];
    while (cells.length < held.length) cells.push(++this.#lastCell);
  }

  #count(): void {
    const { taken, cells } = this;
    if (taken > cells) this.#addon.events.broken(`${taken} of ${cells} cells are taken`);
  }

  share(from: number, to: number, tokens: number): boolean {
    const source = this.#kv[from] as number[];
    const target = this.#kv[to] as number[];
    if (tokens > source.length || target.length > 0) {
      this.#addon.events.broken(`${tokens} of the ${source.length} of lane ${from} shared with lane ${to}`);
    }
    target.push(...source.slice(0, tokens));
    (this.#cells[to] as number[]).push(...(this.#cells[from] as number[]).slice(0, tokens));
    return true;
  }

  cut(lane: number, from: number): boolean {
    for (const of of [this.#kv, this.#cells]) {
      const held = of[lane] as number[];
      held.length = Math.min(held.length, from);
    }
    return true;
  }

  clear(lane: number): void {
    this.cut(lane, 0);
  }

  length = (lane: number): number => (this.#kv[lane] as number[]).length;

  readonly fingerprint = 'fake';
  pageBytes = (lane: number, sections: readonly { readonly bytes: number }[]): number =>
    sections.reduce((sum, { bytes }) => sum + bytes, this.length(lane));

  pageOut(lane: number, sections: readonly SectionData[]): number {
    const id = this.#addon.pages.put(this.#kv[lane] as number[], sections);
    this.clear(lane);
    return id;
  }

  pageIn(lane: number, page: number): void {
    const held = this.#kv[lane] as number[];
    if (held.length > 0) this.#addon.events.broken(`page ${page} put into lane ${lane}, which is not empty`);
    held.push(...this.#addon.pages.kv(page));
    this.#fill(lane);
    this.#count();
  }

  checkpoint = (): Checkpoint | undefined => undefined;
  restoreCheckpoint = (): undefined => undefined;
  checkpoints = (): [] => [];
  setCheckpointBudget(): void {}
  checkpointCounts = (): CheckpointCounts => ({ bytes: 0, budget: 0, evicted: 0, skipped: 0 });
  evictedCheckpoints = (): [] => [];
  memory = (): [] => [];

  close(): void {
    for (const held of [...this.#kv, ...this.#cells]) held.length = 0;
    this.#genes.fill(NO_GENES);
  }
}
