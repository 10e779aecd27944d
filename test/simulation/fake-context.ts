/**
 * A context of the fake engine: what its lanes hold, token by token, and what is told when a lane is asked for something that no
 * lane could do.
 */
import { BadArgument, GeneAbsent } from '../../src/errors.js';
import {
  type AppliedGene,
  type BufferBytes,
  type ContextOptions,
  type NativeContext,
  ROW_FIELDS,
  RowOutput,
  StepStatus,
} from '../../src/native/addon.js';
import type { Checkpoint, CheckpointCounts, SectionData, WindowInfo } from '../../src/native/pages.js';
import type { FakeAddon } from './fake-addon.js';
import { computed, type LaneGenes, laneGenes, NO_GENES } from './fake-genes.js';
import { FINGERPRINT, PIECE_BYTES, sectionsOf } from './fake-pages.js';
import { nextToken } from './fake-tokens.js';

/** So long that turns overlap, and something can come between. */
const STEP_MS = 1;
/** Of the context's memory. */
export const CELL_BYTES = 2;
const KV_BYTES = 4;
/** What lanes, cells and genes must add up to, wherever it is found out. */
export const ADD_UP = 'lanes, cells and genes add up';

interface FakeWindow {
  readonly lane: number;
  readonly page: number;
  readonly tokens: number;
  readonly sections: ReturnType<typeof sectionsOf>;
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
  #window: FakeWindow | undefined;
  /** The page that each lane came from, until it is emptied. */
  readonly #cameFrom = new Map<number, number>();

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
      if (held.length !== position) this.#broken(`lane ${lane} is at ${held.length}, not ${position}`);
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
    if (taken > cells) this.#broken(`${taken} of ${cells} cells are taken`);
  }

  share(from: number, to: number, tokens: number): boolean {
    const source = this.#kv[from] as number[];
    const target = this.#kv[to] as number[];
    if (tokens > source.length || target.length > 0) {
      this.#broken(`${tokens} of the ${source.length} of lane ${from} shared with lane ${to}`);
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
    if (this.length(lane) === 0) this.#cameFrom.delete(lane);
    return true;
  }

  clear(lane: number): void {
    this.cut(lane, 0);
  }

  length = (lane: number): number => (this.#kv[lane] as number[]).length;

  readonly fingerprint = FINGERPRINT;
  pageBytes = (lane: number, sections: readonly { readonly bytes: number }[]): number =>
    sections.reduce((sum, { bytes }) => sum + bytes, KV_BYTES * this.length(lane));

  pageOut(lane: number, sections: readonly SectionData[]): number {
    const id = this.#addon.pages.put(this.#kv[lane] as number[], sections);
    this.clear(lane);
    return id;
  }

  openWindow(lane: number, given: readonly SectionData[]): WindowInfo {
    const kv = this.#kv[lane] as number[];
    this.closeWindow();
    const page = this.#addon.pages.openWindow();
    this.#window = { lane, page, tokens: kv.length, sections: sectionsOf(kv, given) };
    const sections = this.#window.sections.map(({ kind, data }) => ({ kind, bytes: data.length }));
    const bytes = sections.reduce((sum, section) => sum + section.bytes, 0);
    const layout = { fingerprint: FINGERPRINT, cells: kv.length, sections, bytes };
    return { page, pieceBytes: PIECE_BYTES, layout };
  }

  /** A lane that has changed closes it. */
  fillWindow(section: number, offset: number, length: number): void {
    const window = this.#window;
    if (window === undefined || this.length(window.lane) !== window.tokens) {
      this.closeWindow();
      throw new BadArgument({ argument: 'window', value: 'none', expected: 'a lane that stays as it is' });
    }
    const data = window.sections[section]?.data ?? new Uint8Array();
    this.#addon.pages.piece(window.page).set(data.subarray(offset, offset + length));
  }

  closeWindow(): void {
    if (this.#window !== undefined) this.#addon.pages.release(this.#window.page);
    this.#window = undefined;
  }

  pageIn(lane: number, page: number): void {
    const held = this.#kv[lane] as number[];
    if (held.length > 0) this.#broken(`page ${page} put into lane ${lane}, which is not empty`);
    held.push(...this.#addon.pages.kv(page));
    this.#fill(lane);
    this.#count();
    this.#cameFrom.set(lane, page);
  }

  /** A lane that came from a page that somebody still keeps. */
  inTwoPlaces(): string | undefined {
    for (const [lane, page] of this.#cameFrom) {
      if (this.#addon.pages.isKept(page)) return `lane ${lane} came from page ${page}, which is in the store`;
    }
    return undefined;
  }

  checkpoint = (): Checkpoint | undefined => undefined;
  restoreCheckpoint = (): undefined => undefined;
  checkpoints = (): [] => [];
  setCheckpointBudget(): void {}
  checkpointCounts = (): CheckpointCounts => ({ bytes: 0, budget: 0, evicted: 0, skipped: 0 });
  evictedCheckpoints = (): [] => [];
  memory(): BufferBytes[] {
    const contextBytes = CELL_BYTES * this.cells;
    const computeBytes = this.#addon.stepBytes;
    return [{ buffer: 'fake', host: true, modelBytes: 0, contextBytes, computeBytes, outputBytes: 0 }];
  }

  close(): void {
    this.closeWindow();
    for (const held of [...this.#kv, ...this.#cells]) held.length = 0;
    this.#genes.fill(NO_GENES);
    this.#cameFrom.clear();
  }

  #broken(what: string): void {
    this.#addon.events.broken(ADD_UP, what);
  }
}
