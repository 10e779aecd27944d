import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppliedGene, NativeContext, NativeModel } from '../../src/native/addon.js';
import { contextOptions, distance, FORMS, load, type RowTuple, step } from './fixtures.js';
import { loadGene, merge, type RandomGene, randomGene, reached, writeGene } from './random-gene.js';
import { type Kind, writeRandomModel } from './random-model.js';

const folder = mkdtempSync(join(tmpdir(), 'troupe-genes-kinds-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Keys and values are kept in 16 bits, where a sum in another order may round the other way. What is wrong differs by more. */
const TOLERANCE = 4e-3;
/** Stacks are what this processor would not choose, and slow on it. */
const TOKENS = { place: 200, stacks: 50 };
const SCALE = 0.5;
const tokenOf = (lane: number, position: number) => 4 + ((lane * 91 + position * 37) % 250);
const kinds: Kind[] = ['dense', 'window', 'recurrent', 'hybrid'];
const cases = kinds.flatMap((kind) => FORMS.map((form) => [kind, form] as const));

const open = (model: NativeModel, threads = 1) =>
  model.context({ ...contextOptions, cells: 2048, threads, promptThreads: threads });

/** Logits of every lane at every position of a step of all lanes, one row each. */
function decode(
  context: NativeContext,
  phenotypes: readonly (readonly AppliedGene[])[],
  tokens: number,
): Float32Array[][] {
  phenotypes.forEach((genes, lane) => {
    context.clear(lane);
    context.setGenes(lane, genes);
  });
  return Array.from({ length: tokens }, (_, position) => {
    const rows = phenotypes.map((_, lane): RowTuple => [tokenOf(lane, position), lane, position, 2]);
    expect(step(context, rows).status).toBe(0);
    return phenotypes.map((_, lane) => context.logits(lane));
  });
}

const size = (logits: Float32Array) => logits.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const argMax = (logits: Float32Array) =>
  logits.indexOf(logits.reduce((most, value) => Math.max(most, value)));

function expectClose(actual: Float32Array[][], lane: number, expected: Float32Array[][]): void {
  actual.forEach((each, position) => {
    const mine = each[lane] as Float32Array;
    const theirs = expected[position]?.[lane] as Float32Array;
    const bound = TOLERANCE * size(theirs);
    expect(distance(mine, theirs)).toBeLessThan(bound);
    expect(Math.max(...theirs) - (theirs[argMax(mine)] as number)).toBeLessThan(bound);
  });
}

describe.each(cases)('E3 genes of a %s model, by %s', (kind, form) => {
  const genes: RandomGene[] = [
    randomGene(kind, 1, 8),
    randomGene(kind, 2, 3),
    randomGene(kind, 3, 20, reached(kind).slice(3)),
  ];
  const tokens = TOKENS[form];
  const path = (name: string) => join(folder, `${kind}-${form}-${name}.gguf`);
  let model: NativeModel;
  let ids: number[];
  beforeAll(() => {
    writeRandomModel(path('base'), kind);
    model = load(path('base'), form);
    ids = genes.map((gene, i) => {
      writeGene(path(`gene-${i}`), kind, gene);
      return loadGene(model, path(`gene-${i}`)).id;
    });
  });
  afterAll(() => model.close());
  const at = (gene: number, scale = SCALE): AppliedGene => ({ gene: ids[gene] as number, scale });

  it('E3 a gene does what its change merged into the weights does', { timeout: 60_000 }, () => {
    const context = open(model);
    const actual = decode(context, [[at(0)], [at(0)], [at(0)], [at(0)]], tokens);
    context.close();
    writeRandomModel(path('merged'), kind, (tensor) =>
      merge(genes[0] as RandomGene, Math.fround(SCALE), tensor),
    );
    const merged = load(path('merged'));
    const reference = open(merged);
    const expected = decode(reference, [[], [], [], []], tokens);
    reference.close();
    merged.close();
    for (let lane = 0; lane < 4; lane++) expectClose(actual, lane, expected);
  });

  it('E3 several genes of other ranks add up', { timeout: 60_000 }, () => {
    const context = open(model);
    const actual = decode(context, [[at(0), at(1, -0.25), at(2, 0.75)], [], [], []], tokens);
    context.close();
    writeRandomModel(path('sum'), kind, (tensor) => {
      merge(genes[0] as RandomGene, SCALE, tensor);
      merge(genes[1] as RandomGene, -0.25, tensor);
      merge(genes[2] as RandomGene, 0.75, tensor);
    });
    const merged = load(path('sum'));
    const reference = open(merged);
    const expected = decode(reference, [[], [], [], []], tokens);
    reference.close();
    merged.close();
    expectClose(actual, 0, expected);
  });

  it('E3 each row of a mixed batch equals that lane in a batch of its own kind, bit for bit', {
    timeout: 60_000,
  }, () => {
    const context = open(model);
    const phenotypes = [[at(0)], [], [at(2, 0.3), at(1)], [at(1, 2)]];
    const mixed = decode(context, phenotypes, tokens);
    phenotypes.forEach((phenotype, lane) => {
      const alone = decode(context, [phenotype, phenotype, phenotype, phenotype], tokens);
      mixed.forEach((each, position) => {
        expect(each[lane]).toEqual(alone[position]?.[lane]);
      });
    });
    context.close();
  });

  // Few steps: ggml's threads wait for one another by spinning, which is slow beside other work.
  it('E3 two threads share the work of a gene', { timeout: 60_000 }, () => {
    const [one, two] = [1, 2].map((threads) => {
      const context = open(model, threads);
      const logits = decode(context, [[at(0)], [], [at(2, 0.3), at(1)], [at(1, 2)]], 3);
      context.close();
      return logits;
    });
    expect(two).toEqual(one);
  });

  it('E3 a row whose lane has no output, or that is before where its genes begin, is told from those that run them', () => {
    const context = open(model);
    const logits = (together: boolean) => {
      context.clear(0);
      context.clear(1);
      context.setGenes(0, [at(0)], 3);
      context.setGenes(1, [at(2)]);
      const rowsOf = (lane: number, output: 0 | 2) =>
        Array.from({ length: 6 }, (_, i): RowTuple => [tokenOf(lane, i), lane, i, i === 5 ? output : 0]);
      const steps = together ? [[...rowsOf(0, 2), ...rowsOf(1, 0)]] : [rowsOf(1, 0), rowsOf(0, 2)];
      for (const rows of steps) expect(step(context, rows).status).toBe(0);
      return context.logits(0);
    };
    const [mixed, alone] = [logits(true), logits(false)];
    context.close();
    expect(distance(mixed, alone)).toBeLessThan(TOLERANCE * size(alone));
  });
});
