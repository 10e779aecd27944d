import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument, GeneAbsent, GeneTruncated, GeneUnfit, NotAGene } from '../../src/errors.js';
import type { AppliedGene, NativeModel } from '../../src/native/addon.js';
import { addon, contextOptions, GENE, load, thrown } from './fixtures.js';
import { type Tensor, type Value, writeGguf } from './gguf-writer.js';
import { entries, hashOf, type RandomGene, randomGene } from './random-gene.js';
import { writeRandomModel } from './random-model.js';

const folder = mkdtempSync(join(tmpdir(), 'troupe-genes-load-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PATH = join(folder, 'gene.gguf');
let model: NativeModel;
beforeAll(() => {
  writeRandomModel(join(folder, 'model.gguf'), 'dense');
  model = load(join(folder, 'model.gguf'));
});
afterAll(() => {
  expect(model.genes()).toEqual([]);
  model.close();
  expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
});

const refused = (bytes: Uint8Array) =>
  thrown(() => model.loadGene(bytes, { path: PATH, hash: hashOf(bytes) }));

const gene: RandomGene = randomGene('dense', 7, 4);
/** The gene with its header or its tensors changed, as bytes. */
function changed(
  header: Record<string, Value | undefined>,
  tensors: (all: Tensor[]) => Tensor[],
): Uint8Array {
  const all = Object.entries({ ...entries('dense', 4), ...header }).filter(
    ([, value]) => value !== undefined,
  );
  writeGguf(PATH, Object.fromEntries(all) as Record<string, Value>, tensors([...gene.tensors]));
  return readFileSync(PATH);
}
const withHeader = (header: Record<string, Value | undefined>) => changed(header, (all) => all);
const withTensors = (tensors: (all: Tensor[]) => Tensor[]) => changed({}, tensors);
const text = (value: string): Value => ({ type: 'string', value });
const tensor = (name: string, ...shape: number[]): Tensor => ({
  name,
  shape,
  data: new Float32Array(shape.reduce((size, each) => size * each, 1)),
});

describe('G1 a file that is no gene of this model is refused with what is wrong', () => {
  it.each([
    ['of no type', { 'general.type': undefined }, 'type is not given'],
    ['a model', { 'general.type': text('model') }, 'type is model'],
    ['a control vector', { 'adapter.type': text('control') }, 'adapter type is control'],
    [
      'for another architecture',
      { 'general.architecture': text('gemma2') },
      'architecture gemma2, not llama',
    ],
    ['with an alpha that is text', { 'adapter.lora.alpha': text('8') }, 'alpha is no float'],
    [
      'with an infinite alpha',
      { 'adapter.lora.alpha': { type: 'float32', value: Infinity } },
      'alpha is inf',
    ],
    [
      'that tokens invoke',
      { 'adapter.alora.invocation_tokens': { type: 'uint32s', value: [1] } },
      'invoked by tokens',
    ],
  ] satisfies [string, Record<string, Value | undefined>, string][])('G1 one %s', (_, header, reason) => {
    const error = refused(withHeader(header));
    expect(error).toBeInstanceOf(NotAGene);
    expect(error.message).toContain(reason);
  });

  it('G1 one without tensors', () => {
    expect(refused(withTensors(() => [])).message).toContain('it holds no tensor');
  });

  it.each([
    ['of no such weight', 'blk.9.attn_q.weight', 'no weight of this name'],
    ['of a norm', 'blk.0.attn_norm.weight', 'no weight of this name'],
    ['of the token embeddings', 'token_embd.weight', 'table of token embeddings'],
  ])('G1 a pair %s, by its name', (_, name, reason) => {
    const error = refused(
      withTensors((all) => [...all, tensor(`${name}.lora_a`, 64, 4), tensor(`${name}.lora_b`, 4, 64)]),
    );
    expect(error).toBeInstanceOf(GeneUnfit);
    expect(error.detail).toMatchObject({ tensor: name });
    expect(error.message).toContain(reason);
  });

  const replaced = (name: string, ...shape: number[]) =>
    withTensors((all) => all.map((each) => (each.name === name ? tensor(name, ...shape) : each)));
  it.each([
    ['blk.0.attn_q.weight.lora_a', [65, 4], 'it is 65 x 4; the weight takes 64 values'],
    ['blk.0.ffn_up.weight.lora_b', [4, 95], 'it is 4 x 95; the weight gives 96 values'],
    ['blk.0.attn_q.weight.lora_a', [64, 5], 'its ranks are 5 and 4'],
    ['blk.0.attn_q.weight.lora_b', [4, 64, 2], 'it is no matrix'],
  ] as const)('G1 a tensor whose shape does not fit: %s %s', (name, shape, reason) => {
    const error = refused(replaced(name, ...shape));
    expect(error).toBeInstanceOf(GeneUnfit);
    expect(error.message).toContain(reason);
  });

  it('G1 a tensor without its other half, one of another kind, and one that is no number', () => {
    const half = refused(withTensors((all) => all.slice(1)));
    expect(half.detail).toMatchObject({ tensor: 'blk.0.attn_q.weight.lora_a', reason: 'it is missing' });
    const other = refused(withTensors((all) => [...all, tensor('blk.0.attn_q.bias', 64)]));
    expect(other.detail).toMatchObject({ tensor: 'blk.0.attn_q.bias' });
    for (const value of [Number.NaN, Infinity]) {
      const bytes = withTensors((all) =>
        all.map((each, i) => (i === 3 ? { ...each, data: each.data.slice().fill(value, 5, 6) } : each)),
      );
      expect(refused(bytes).message).toContain('no finite number');
    }
  });
});

describe('G1 a spoiled file is a typed error', () => {
  const whole = readFileSync(GENE);
  const tiny = () => load(GENE.replace('-gene-kjv', ''));

  it('G1 cut anywhere', { timeout: 60_000 }, () => {
    const other = tiny();
    for (let length = 0; length < whole.length; length += length < 4096 ? 61 : 1021) {
      const error = thrown(() =>
        other.loadGene(whole.subarray(0, length), { path: PATH, hash: String(length) }),
      );
      expect([NotAGene.name, GeneTruncated.name]).toContain(error.code);
      if (length > 8) expect(error).toBeInstanceOf(GeneTruncated);
    }
    other.close();
  });

  it('G1 with any byte of its header changed, or loaded all the same', { timeout: 60_000 }, () => {
    const other = tiny();
    const bytes = Uint8Array.from(whole);
    const codes = new Set<string | undefined>();
    const headerBytes = 3000;
    for (let at = 0; at < headerBytes; at++) {
      for (const flip of at < 200 ? [0x01, 0x80, 0xff] : [0x80]) {
        bytes[at] = (whole[at] as number) ^ flip;
        try {
          other.unloadGene(other.loadGene(bytes, { path: PATH, hash: `${at} ${flip}` }).id);
        } catch (error) {
          codes.add((error as { code?: string }).code);
        }
        bytes[at] = whole[at] as number;
      }
    }
    expect([...codes].sort()).toEqual(['GeneTruncated', 'GeneUnfit', 'NotAGene']);
    other.close();
  });
});

describe('E3 what a lane may run', () => {
  it('E3 is checked', () => {
    const bytes = withTensors((all) => all);
    const { id } = model.loadGene(bytes, { path: PATH, hash: hashOf(bytes) });
    const context = model.context(contextOptions);
    const set = (lane: unknown, genes: unknown) =>
      thrown(() => context.setGenes(lane as number, genes as AppliedGene[]));
    for (const error of [
      set(4, []),
      set(0, undefined),
      set(0, [id]),
      set(0, [{ gene: id }]),
      set(0, [{ gene: id, scale: Number.NaN }]),
      set(0, [{ gene: -1, scale: 1 }]),
      set(0, [
        { gene: id, scale: 1 },
        { gene: id, scale: 2 },
      ]),
    ])
      expect(error).toBeInstanceOf(BadArgument);
    expect(set(0, [{ gene: id + 1, scale: 1 }])).toBeInstanceOf(GeneAbsent);
    context.close();
    model.unloadGene(id);
    expect(thrown(() => model.unloadGene(id))).toBeInstanceOf(GeneAbsent);
    expect(thrown(() => model.loadGene([] as never, { path: PATH, hash: '' }))).toBeInstanceOf(BadArgument);
  });
});
