/** Writes GGUF files (version 3, little-endian, tensors in F32), for models that no one trained. */
import { writeFileSync } from 'node:fs';

export type Value =
  | { readonly type: 'uint32' | 'float32'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'uint32s' | 'int32s' | 'float32s'; readonly value: readonly number[] }
  | { readonly type: 'strings'; readonly value: readonly string[] };

export interface Tensor {
  readonly name: string;
  /** Fastest dimension first, as ggml counts them. */
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const ALIGNMENT = 32;
const SCALAR = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 } as const;

class Bytes {
  readonly #parts: Uint8Array[] = [];
  length = 0;

  add(part: Uint8Array): this {
    this.#parts.push(part);
    this.length += part.length;
    return this;
  }
  uint32 = (value: number) => this.add(new Uint8Array(Uint32Array.of(value).buffer));
  int32 = (value: number) => this.add(new Uint8Array(Int32Array.of(value).buffer));
  float32 = (value: number) => this.add(new Uint8Array(Float32Array.of(value).buffer));
  uint64 = (value: number) => this.add(new Uint8Array(BigUint64Array.of(BigInt(value)).buffer));
  string(value: string): this {
    const bytes = new TextEncoder().encode(value);
    return this.uint64(bytes.length).add(bytes);
  }
  pad = () => this.add(new Uint8Array((ALIGNMENT - (this.length % ALIGNMENT)) % ALIGNMENT));
  whole = () => Buffer.concat(this.#parts);
}

function addValue(bytes: Bytes, entry: Value): void {
  switch (entry.type) {
    case 'uint32':
    case 'float32':
      bytes.uint32(SCALAR[entry.type])[entry.type](entry.value);
      return;
    case 'string':
      bytes.uint32(SCALAR.string).string(entry.value);
      return;
    case 'strings':
      bytes.uint32(SCALAR.array).uint32(SCALAR.string).uint64(entry.value.length);
      for (const value of entry.value) bytes.string(value);
      return;
    default: {
      const element = entry.type.slice(0, -1) as 'uint32' | 'int32' | 'float32';
      bytes.uint32(SCALAR.array).uint32(SCALAR[element]).uint64(entry.value.length);
      for (const value of entry.value) bytes[element](value);
    }
  }
}

export function writeGguf(
  path: string,
  entries: Readonly<Record<string, Value>>,
  tensors: readonly Tensor[],
): void {
  const bytes = new Bytes().add(new TextEncoder().encode('GGUF')).uint32(3);
  bytes.uint64(tensors.length).uint64(Object.keys(entries).length);
  for (const [key, entry] of Object.entries(entries)) addValue(bytes.string(key), entry);
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    bytes.string(name).uint32(shape.length);
    for (const size of shape) bytes.uint64(size);
    bytes.uint32(0).uint64(offset);
    offset += Math.ceil(data.byteLength / ALIGNMENT) * ALIGNMENT;
  }
  bytes.pad();
  for (const { data } of tensors)
    bytes.add(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)).pad();
  writeFileSync(path, bytes.whole());
}
