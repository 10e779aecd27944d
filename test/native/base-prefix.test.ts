/** What it does to an author's held-out loss that the first half of each text ran without the gene (docs/performance.md). */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeContext, NativeModel } from '../../src/native/addon.js';
import { contextOptions, load, modelPath, type RowTuple, step } from './fixtures.js';
import { loadGene } from './random-gene.js';

const EVERY = process.env.TROUPE_SOAK ? 1 : 18;
const CHUNK = 64;

interface HeldOutRow {
  readonly tokens: number[];
  readonly targets: number[];
  readonly count: number;
}

describe('E3 held-out loss of the second half of a text', () => {
  let model: NativeModel;
  let context: NativeContext;
  beforeAll(() => {
    model = load(modelPath('parlour-5m-F16'));
    context = model.context({ ...contextOptions, lanes: CHUNK, rows: CHUNK });
  });
  afterAll(() => {
    context.close();
    model.close();
  });

  function loss({ tokens, targets }: HeldOutRow): number {
    context.clear(0);
    let sum = 0;
    for (let at = 0; at < tokens.length; at += CHUNK) {
      const rows = tokens.slice(at, at + CHUNK).map((token, i): RowTuple => [token, 0, at + i, 2]);
      expect(step(context, rows).status).toBe(0);
      rows.forEach(([, , position], output) => {
        const target = targets[position] as number;
        if (position >= tokens.length / 2 && target >= 0) sum -= context.logProbability(output, target);
      });
    }
    return sum;
  }

  it.each(['melville', 'austen', 'kjv', 'shelley', 'sotu'])(
    'E3 is nearly that of the gene throughout when the first half ran none: %s',
    { timeout: 300_000 },
    (author) => {
      const { id } = loadGene(model, modelPath(`parlour-5m-gene-${author}-F16`));
      const texts = readFileSync(
        new URL(`../../models/held-out/parlour-5m-${author}.jsonl`, import.meta.url),
        'utf8',
      )
        .trim()
        .split('\n')
        .map((line): HeldOutRow => JSON.parse(line))
        .filter(({ count }, i) => count > 0 && i % EVERY === 0);
      const under = (from: number) => {
        context.setGenes(
          0,
          from === Number.POSITIVE_INFINITY ? [] : [{ gene: id, scale: 1 }],
          Math.min(from, 128),
        );
        return texts.reduce((sum, text) => sum + loss(text), 0);
      };
      const [throughout, after, never] = [under(0), under(128), under(Number.POSITIVE_INFINITY)] as const;
      expect(never).toBeGreaterThan(after);
      expect(Math.abs(after - throughout) / throughout).toBeLessThan(0.005);
    },
  );
});
