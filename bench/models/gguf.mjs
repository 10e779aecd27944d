/**
 * GGUF version 3 files: the metadata of one read, and one written. Only the types that these models need.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const VERSION = 3;
const ALIGNMENT = 32;

/** Tensor types, and the bytes of a row of `n` values. */
export const TensorType = { f32: 0, f16: 1, q4_0: 2, q8_0: 8 };
const ROW_BYTES = {
  [TensorType.f32]: (n) => 4 * n,
  [TensorType.f16]: (n) => 2 * n,
  [TensorType.q4_0]: (n) => (n / 32) * 18,
  [TensorType.q8_0]: (n) => (n / 32) * 34,
};

export const Kind = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9, u64: 10 };
const SCALAR = {
  [Kind.u32]: { bytes: 4, read: 'readUInt32LE', write: 'writeUInt32LE' },
  [Kind.i32]: { bytes: 4, read: 'readInt32LE', write: 'writeInt32LE' },
  [Kind.f32]: { bytes: 4, read: 'readFloatLE', write: 'writeFloatLE' },
  [Kind.bool]: { bytes: 1, read: 'readUInt8', write: 'writeUInt8' },
};

export const tensorBytes = ({ type, dims }) =>
  ROW_BYTES[type](dims[0]) * dims.slice(1).reduce((a, b) => a * b, 1);

/**
 * The metadata of a GGUF file, in its order: `[key, { kind, value }]`, an array's value being
 * `{ kind, values }`.
 */
export function readMetadata(path) {
  const file = readFileSync(path);
  let end = 16;
  const take = (bytes) => {
    end += bytes;
    return end - bytes;
  };
  const count = () => Number(file.readBigUInt64LE(take(8)));
  const text = () => {
    const bytes = count();
    const at = take(bytes);
    return file.toString('utf8', at, end);
  };
  const value = (kind) => {
    if (kind === Kind.string) return text();
    if (kind === Kind.array) {
      const of = file.readUInt32LE(take(4));
      return { kind: of, values: Array.from({ length: count() }, () => value(of)) };
    }
    const scalar = SCALAR[kind];
    if (!scalar) throw new Error(`${path} has metadata of kind ${kind}, which is not read here`);
    return file[scalar.read](take(scalar.bytes));
  };
  const entries = count();
  return Array.from({ length: entries }, () => {
    const key = text();
    const kind = file.readUInt32LE(take(4));
    return [key, { kind, value: value(kind) }];
  });
}

/**
 * Writes a GGUF. `tensors`: `{ name, dims, type, fill }` each, `dims` as GGUF has them (the row length first);
 * `fill()` answers the tensor's bytes, and is called in order, one tensor at a time.
 */
export function writeGguf(path, metadata, tensors) {
  const file = openSync(path, 'w');
  try {
    const header = Buffer.concat([
      Buffer.from('GGUF'),
      number(Kind.u32, VERSION),
      long(tensors.length),
      long(metadata.length),
      ...metadata.map(([key, { kind, value }]) =>
        Buffer.concat([text(key), number(Kind.u32, kind), encode(kind, value)]),
      ),
      ...describe(tensors),
    ]);
    writeSync(file, header);
    writeSync(file, Buffer.alloc(padding(header.length)));
    for (const tensor of tensors) {
      const bytes = tensor.fill();
      if (bytes.length !== tensorBytes(tensor)) throw new Error(`${tensor.name} has ${bytes.length} bytes`);
      writeSync(file, bytes);
      writeSync(file, Buffer.alloc(padding(bytes.length)));
    }
  } finally {
    closeSync(file);
  }
}

const padding = (bytes) => (ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT;

function describe(tensors) {
  let offset = 0;
  return tensors.map((tensor) => {
    const { name, dims, type } = tensor;
    const at = offset;
    offset += tensorBytes(tensor) + padding(tensorBytes(tensor));
    return Buffer.concat([
      text(name),
      number(Kind.u32, dims.length),
      ...dims.map(long),
      number(Kind.u32, type),
      long(at),
    ]);
  });
}

function encode(kind, value) {
  if (kind === Kind.string) return text(value);
  if (kind !== Kind.array) return number(kind, value);
  const { kind: of, values } = value;
  return Buffer.concat([
    number(Kind.u32, of),
    long(values.length),
    ...values.map((item) => encode(of, item)),
  ]);
}

function number(kind, value) {
  const { bytes, write } = SCALAR[kind];
  const buffer = Buffer.alloc(bytes);
  buffer[write](Number(value));
  return buffer;
}

function long(value) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function text(value) {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([long(bytes.length), bytes]);
}
