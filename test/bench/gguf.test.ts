import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readMetadata, TensorType, writeGguf } from '../../bench/models/gguf.mjs';
import { half, normals, ones, q4_0, q8_0 } from '../../bench/models/weights.mjs';

const MODEL = 'models/parlour-tiny-Q8_0.gguf';
const folder = mkdtempSync(join(tmpdir(), 'gguf-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('GGUF', () => {
  test('metadata written is the metadata that was read', () => {
    const path = join(folder, 'copy.gguf');
    const metadata = readMetadata(MODEL);
    const tensors = [{ name: 'norm.weight', dims: [32], type: TensorType.f32, fill: () => ones(32) }];
    writeGguf(path, metadata, tensors);
    expect(readMetadata(path)).toEqual(metadata);
    expect(readFileSync(path).subarray(-128)).toEqual(ones(32));
  });

  test('a tensor of the wrong size is refused', () => {
    const tensors = [{ name: 'norm.weight', dims: [32], type: TensorType.f32, fill: () => ones(31) }];
    expect(() => writeGguf(join(folder, 'wrong.gguf'), [], tensors)).toThrow('norm.weight has 124 bytes');
  });
});

describe('weights', () => {
  test.each([
    [0, 0x0000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65_504, 0x7bff],
    [0.1, 0x2e66],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [-(2 ** -15), 0x8200],
  ])('%d in half precision is %d', (value, expected) => {
    expect(half(value)).toBe(expected);
  });

  test('a block of Q8_0 is its scale and bytes that give the values back', () => {
    const values = Array.from({ length: 32 }, (_, i) => (i - 10) / 10);
    const taken = values[Symbol.iterator]();
    const bytes = q8_0(() => taken.next().value, 32, 1);
    const largest = 2.1;
    expect(bytes.readUInt16LE(0)).toBe(half(largest / 127));
    for (const [i, value] of values.entries()) {
      expect(Math.abs((bytes.readInt8(2 + i) * largest) / 127 - value)).toBeLessThanOrEqual(
        largest / 254 + 1e-9,
      );
    }
  });

  test('a block of Q4_0 is its scale and halves of bytes that give the values back', () => {
    const values = Array.from({ length: 32 }, (_, i) => (i - 20) / 10);
    const taken = values[Symbol.iterator]();
    const bytes = q4_0(() => taken.next().value, 32, 1);
    const scale = 2 / 8;
    expect(bytes.length).toBe(18);
    expect(bytes.readUInt16LE(0)).toBe(half(scale));
    for (const [i, value] of values.entries()) {
      const both = bytes[2 + (i % 16)] as number;
      const four = i < 16 ? both & 15 : both >> 4;
      expect(Math.abs((four - 8) * scale - value)).toBeLessThanOrEqual(scale / 2 + 1e-9);
    }
  });

  test('random values have mean 0 and deviation 1, and follow from the seed', () => {
    const next = normals(7);
    const values = Array.from({ length: 100_000 }, next);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    expect(mean).toBeCloseTo(0, 1.5);
    expect(variance).toBeCloseTo(1, 1.5);
    expect(normals(7)()).toBe(values[0]);
    expect(normals(8)()).not.toBe(values[0]);
  });
});
