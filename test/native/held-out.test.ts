import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeContext, NativeModel } from '../../src/native/addon.js';
import { load, modelPath, type RowTuple, step } from './fixtures.js';

interface HeldOutRow {
  readonly kind: string;
  readonly tokens: number[];
  readonly targets: number[];
  readonly count: number;
  readonly loss: { readonly base: number };
}

/** The reference was computed in 32-bit floats, the file holds 16-bit ones. */
const TOLERANCE = 0.0005;
const EVERY = process.env.TROUPE_SOAK ? 1 : 4;

const folder = new URL('../../models/held-out/', import.meta.url);
const files = (model: string) => readdirSync(folder).filter((name) => name.startsWith(`${model}-`));
const rowsOf = (file: string): HeldOutRow[] =>
  readFileSync(new URL(file, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The summed cross-entropy of a row's counted targets; a step gives as many outputs as there are lanes. */
function loss(context: NativeContext, { tokens, targets }: HeldOutRow): number {
  context.clear(0);
  let sum = 0;
  for (let from = 0; from < tokens.length; from += context.lanes) {
    const chunk = tokens.slice(from, from + context.lanes);
    const rows = chunk.map((token, i): RowTuple => [token, 0, from + i, 2]);
    expect(step(context, rows).status).toBe(0);
    chunk.forEach((_, i) => {
      const target = targets[from + i] as number;
      if (target >= 0) sum -= context.logProbability(i, target);
    });
  }
  return sum;
}

describe.each(['parlour-5m', 'parlour-tiny'])('E1 held-out loss of %s', (name) => {
  let model: NativeModel;
  let context: NativeContext;
  beforeAll(() => {
    model = load(modelPath(`${name}-F16`));
    context = model.context({
      lanes: 64,
      cells: 512,
      rows: 64,
      threads: 1,
      promptThreads: 1,
      flashAttention: true,
    });
  });
  afterAll(() => {
    context.close();
    model.close();
  });

  it.each(files(name))('E1 agrees with the reference, row by row: %s', { timeout: 300_000 }, (file) => {
    const rows = rowsOf(file);
    for (let i = 0; i < rows.length; i += EVERY) {
      const row = rows[i] as HeldOutRow;
      const actual = loss(context, row);
      const off = Math.abs(actual - row.loss.base);
      expect(off, `row ${i}: ${actual}, reference ${row.loss.base}`).toBeLessThanOrEqual(
        TOLERANCE * row.loss.base,
      );
    }
  });
});
