import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GeneInUse } from '../../src/errors.js';
import type { AppliedGene, NativeContext, NativeModel } from '../../src/native/addon.js';
import {
  addon,
  contextOptions,
  FORMS,
  feed,
  GENE,
  load,
  modelPath,
  type RowTuple,
  step,
  TINY,
  thrown,
} from './fixtures.js';
import { loadGene } from './random-gene.js';

interface HeldOutRow {
  readonly tokens: number[];
  readonly targets: number[];
  /** Targets that count; a row may have none. */
  readonly count: number;
  readonly loss: Readonly<Record<string, number>>;
}

/** The reference was computed in 32-bit floats, the files hold 16-bit ones. */
const TOLERANCE = 0.001;
const EVERY = process.env.TROUPE_SOAK ? 1 : 18;
const AUTHORS = ['melville', 'austen', 'kjv', 'shelley', 'sotu'];

const rowsOf = (model: string, author: string): HeldOutRow[] =>
  readFileSync(new URL(`../../models/held-out/${model}-${author}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): HeldOutRow => JSON.parse(line))
    .filter(({ count }) => count > 0);

/** The losses of several rows of text, a lane each, decoded together in steps of up to `context.lanes` outputs. */
function losses(context: NativeContext, texts: readonly HeldOutRow[]): number[] {
  const chunk = Math.floor(context.lanes / texts.length);
  const sums = texts.map(() => 0);
  texts.forEach((_, lane) => {
    context.clear(lane);
  });
  const length = (texts[0] as HeldOutRow).tokens.length;
  for (let from = 0; from < length; from += chunk) {
    const to = Math.min(length, from + chunk);
    const rows = texts.flatMap(({ tokens }, lane) =>
      tokens.slice(from, to).map((token, i): RowTuple => [token, lane, from + i, 2]),
    );
    expect(step(context, rows).status).toBe(0);
    rows.forEach(([, lane, position], output) => {
      const target = texts[lane]?.targets[position] as number;
      if (target >= 0) sums[lane] = (sums[lane] as number) - context.logProbability(output, target);
    });
  }
  return sums;
}

describe.each([
  ['parlour-5m', 'place', AUTHORS],
  ['parlour-tiny', 'place', ['melville', 'kjv']],
  ['parlour-tiny', 'stacks', ['melville', 'kjv']],
] as const)('E3 held-out loss of %s under its genes, by %s', (name, form, authors) => {
  let model: NativeModel;
  let context: NativeContext;
  const ids = new Map<string, number>();
  beforeAll(() => {
    model = load(modelPath(`${name}-F16`), form);
    for (const author of authors)
      ids.set(author, loadGene(model, modelPath(`${name}-gene-${author}-F16`)).id);
    context = model.context({ ...contextOptions, lanes: 64, cells: 2048, rows: 64 });
  });
  afterAll(() => {
    context.close();
    model.close();
  });
  const phenotype = (author: string): AppliedGene[] =>
    ids.has(author) ? [{ gene: ids.get(author) as number, scale: 1 }] : [];
  const off = (loss: number, reference: number) => Math.abs(loss - reference) / reference;

  it.each([...authors])('E3 of %s, one text after the other', { timeout: 600_000 }, (author) => {
    context.setGenes(0, phenotype(author));
    for (const text of AUTHORS) {
      for (const row of rowsOf(name, text).filter((_, i) => i % EVERY === 0)) {
        const [loss] = losses(context, [row]) as [number];
        expect(off(loss, row.loss[author] as number), `${text}: ${loss}`).toBeLessThanOrEqual(TOLERANCE);
      }
    }
    context.setGenes(0, []);
  });

  it('E3 of all of them in one batch, with a lane that runs none', { timeout: 600_000 }, () => {
    const who = [...authors, 'base'];
    who.forEach((author, lane) => {
      context.setGenes(lane, phenotype(author));
    });
    for (const text of AUTHORS) {
      for (const row of rowsOf(name, text).filter((_, i) => i % (2 * EVERY) === 0)) {
        losses(
          context,
          who.map(() => row),
        ).forEach((loss, lane) => {
          const author = who[lane] as string;
          expect(off(loss, row.loss[author] as number), `${author} on ${text}`).toBeLessThanOrEqual(
            TOLERANCE,
          );
        });
      }
    }
    who.forEach((_, lane) => {
      context.setGenes(lane, []);
    });
  });
});

describe.each(FORMS)('G1 genes of a model, by %s', (form) => {
  const tokens = [5, 44, 315, 297, 528, 101, 98, 655];
  let model: NativeModel;
  beforeAll(() => {
    model = load(TINY, form);
  });
  afterAll(() => model.close());
  const logitsOf = (phenotype: readonly AppliedGene[]) => {
    const context = model.context(contextOptions);
    context.setGenes(0, phenotype);
    feed(context, 0, tokens);
    const logits = context.logits(0);
    context.close();
    return logits;
  };

  it('case-4 an empty phenotype equals a process that never loaded a gene', () => {
    const before = logitsOf([]);
    const { id } = loadGene(model, GENE);
    expect(logitsOf([])).toEqual(before);
    expect(logitsOf([{ gene: id, scale: 0 }])).toEqual(before);
    expect(logitsOf([{ gene: id, scale: 1 }])).not.toEqual(before);
    model.unloadGene(id);
    expect(logitsOf([])).toEqual(before);
  });

  it('G1 the same content is the same gene, and an unloaded one comes back under another id', () => {
    const first = loadGene(model, GENE);
    expect(loadGene(model, GENE)).toEqual(first);
    expect(model.genes()).toEqual([first]);
    expect(first).toMatchObject({ rank: 8, weights: 14, bytes: 69_632 });
    model.unloadGene(first.id);
    expect(model.genes()).toEqual([]);
    const second = loadGene(model, GENE);
    expect(second.id).toBeGreaterThan(first.id);
    model.unloadGene(second.id);
  });

  it('G2 a gene that a lane runs is not unloaded, and is once it runs none', () => {
    const { id } = loadGene(model, GENE);
    const context = model.context(contextOptions);
    context.setGenes(2, [{ gene: id, scale: 1 }]);
    expect(thrown(() => model.unloadGene(id))).toBeInstanceOf(GeneInUse);
    context.setGenes(2, []);
    model.unloadGene(id);
    expect(thrown(() => context.setGenes(2, [{ gene: id, scale: 1 }])).code).toBe('GeneAbsent');
    context.close();
  });

  it('G2 a context that closes lets go of its genes, and the last handle frees them', () => {
    const other = load(TINY, form);
    const { id } = loadGene(other, GENE);
    const context = other.context(contextOptions);
    context.setGenes(0, [{ gene: id, scale: 1 }]);
    expect(addon.live().genes).toBe(1);
    other.close();
    expect(feed(context, 0, tokens).status).toBe(0);
    context.close();
    expect(addon.live().genes).toBe(0);
  });

  it('E3 a context that has run without genes runs one from the next step on, and none after it', () => {
    const { id } = loadGene(model, GENE);
    const context = model.context(contextOptions);
    const under = (phenotype: readonly AppliedGene[]) => {
      context.clear(0);
      context.setGenes(0, phenotype);
      for (const token of tokens) feed(context, 0, [token]);
      return context.logits(0);
    };
    const before = under([]);
    const during = under([{ gene: id, scale: 1 }]);
    expect(during).not.toEqual(before);
    expect(under([{ gene: id, scale: 0.5 }])).not.toEqual(during);
    expect(under([])).toEqual(before);
    expect(under([{ gene: id, scale: 1 }])).toEqual(during);
    context.close();
    model.unloadGene(id);
  });

  it('E3 the order in which a phenotype names its genes means nothing', () => {
    const kjv = loadGene(model, GENE).id;
    const melville = loadGene(model, modelPath('parlour-tiny-gene-melville-F16')).id;
    const both = [
      { gene: kjv, scale: 0.75 },
      { gene: melville, scale: 0.5 },
    ];
    expect(logitsOf(both)).toEqual(logitsOf([...both].reverse()));
    model.unloadGene(kjv);
    model.unloadGene(melville);
  });
});
