import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { Aborted, ModelNotFound, ModelTruncated, ModelUnsupported, NotAModel } from '../../src/errors.js';
import { addon, GENE, load, PARLOUR, TINY, thrown } from './fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'troupe-load-'));
afterAll(() => rmSync(folder, { recursive: true }));

const tiny = readFileSync(TINY);

function file(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The tiny model with some bytes replaced. */
function patched(name: string, offset: number, bytes: Uint8Array): string {
  const path = file(name, tiny);
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, offset);
  closeSync(descriptor);
  return path;
}

const uint64 = (value: bigint): Uint8Array => new Uint8Array(BigUint64Array.of(value).buffer);

const errorOf = (path: string) => {
  const fromHeader = thrown(() => addon.readHeader(path));
  const fromLoad = thrown(() => load(path));
  expect(fromLoad.code).toBe(fromHeader.code);
  return fromLoad;
};

describe('E1 a header', () => {
  it('E1 says what a model needs without loading it', () => {
    expect(addon.readHeader(PARLOUR)).toEqual({
      architecture: 'llama',
      fileBytes: 9_125_504,
      weightBytes: 8_989_696,
      contextTrain: 1024,
      layers: 5,
      cellBytes: 2560,
    });
    expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
  });

  it('E1 tells the bytes of a cell that a context then allocates', () => {
    const model = load(PARLOUR);
    const context = model.context({
      lanes: 1,
      cells: 512,
      rows: 8,
      threads: 1,
      promptThreads: 1,
      flashAttention: true,
    });
    const held = context.memory().reduce((sum, buffer) => sum + buffer.contextBytes, 0);
    expect(held).toBe(512 * addon.readHeader(PARLOUR).cellBytes);
    context.close();
    model.close();
  });
});

describe('E1 a load', () => {
  it('E1 tells its progress on the calling thread, up to 1', () => {
    const fractions: number[] = [];
    const model = addon.loadModel({
      path: PARLOUR,
      mmap: false,
      gpuLayers: 0,
      onProgress: (fraction) => fractions.push(fraction) > 0,
    });
    expect(fractions.at(-1)).toBe(1);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    model.close();
  });

  it('E1 is cancelled by an answer of false, and leaves nothing behind', () => {
    const cancel = () =>
      addon.loadModel({ path: PARLOUR, mmap: false, gpuLayers: 0, onProgress: (fraction) => fraction < 0.5 });
    expect(cancel).toThrow(Aborted);
    expect(addon.live().models).toBe(0);
  });

  it('E1 hands an error of its progress callback on', () => {
    const failing = () =>
      addon.loadModel({
        path: PARLOUR,
        mmap: false,
        gpuLayers: 0,
        onProgress: () => {
          throw new RangeError('no');
        },
      });
    expect(failing).toThrow(RangeError);
    expect(addon.live().models).toBe(0);
  });

  it('E1 describes the model, and reads it through a map of the file too', () => {
    for (const mmap of [false, true]) {
      const model = addon.loadModel({ path: TINY, mmap, gpuLayers: 0 });
      expect(model.info).toMatchObject({
        path: TINY,
        architecture: 'llama',
        canRollBack: true,
        recurrent: false,
        hybrid: false,
        slidingWindow: 0,
      });
      expect(model.info.template).toContain('im_start');
      expect(model.info.vocabulary).toBeGreaterThan(256);
      model.close();
    }
  });

  it('E1 shares one copy of the weights among handles, until the last is closed', () => {
    const model = load(TINY);
    const other = addon.attachModel(model.info.id);
    expect(addon.live().models).toBe(1);
    model.close();
    expect(other.tokenize('yes', { special: false, continues: false }).length).toBeGreaterThan(0);
    other.close();
    expect(addon.live().models).toBe(0);
    expect(thrown(() => addon.attachModel(model.info.id)).code).toBe('BadArgument');
  });
});

describe('E1 a model that comes and goes', () => {
  it('E1 leaves no memory behind', async () => {
    const rounds = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const model = load(TINY);
        const context = model.context({
          lanes: 4,
          cells: 256,
          rows: 16,
          threads: 1,
          promptThreads: 1,
          flashAttention: true,
        });
        context.step(Int32Array.of(5, 0, 0, 2), 1, new Int32Array());
        context.close();
        model.close();
        // The handles are small, but lie between the large blocks: uncollected they keep the allocator from joining these.
        globalThis.gc?.();
        await setImmediate();
      }
      return process.memoryUsage.rss();
    };
    await rounds(20);
    const before = await rounds(20);
    const grown = (await rounds(100)) - before;
    // A model and its context are 2 MB: a leak of one of them would show as 200.
    expect(grown).toBeLessThan(16 * 2 ** 20);
    expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
  });
});

describe('E1 a file that is no model', () => {
  it.each([
    ['that is not there', () => join(folder, 'none.gguf'), ModelNotFound],
    ['that is a directory', () => folder, NotAModel],
    ['that is empty', () => file('empty.gguf', ''), NotAModel],
    ['of text', () => file('text.gguf', 'Once upon a midnight dreary, while I pondered.\n'), NotAModel],
    ['of two bytes', () => file('short.gguf', 'GG'), NotAModel],
    ['of an unknown version', () => patched('version.gguf', 4, Uint8Array.of(99, 0, 0, 0)), NotAModel],
    ['with 2^62 tensors', () => patched('tensors.gguf', 8, uint64(2n ** 62n)), NotAModel],
    ['with 2^40 tensors', () => patched('tensors2.gguf', 8, uint64(2n ** 40n)), NotAModel],
    ['with 2^62 entries', () => patched('entries.gguf', 16, uint64(2n ** 62n)), NotAModel],
    ['with a name of 2^50 bytes', () => patched('name.gguf', 24, uint64(2n ** 50n)), NotAModel],
    ['that holds a gene', () => GENE, ModelUnsupported],
  ])('E1 refuses a file %s', (_what, make, type) => {
    const error = errorOf(make());
    expect(error).toBeInstanceOf(type);
    expect(error.message).not.toMatch(/undefined|\{"/);
  });

  it('E1 refuses an architecture that llama.cpp does not know, by its name', () => {
    const at = tiny.indexOf('general.architecture') + 'general.architecture'.length + 4 + 8;
    const error = thrown(() => load(patched('architecture.gguf', at, Buffer.from('lla_a'))));
    expect(error).toBeInstanceOf(ModelUnsupported);
    expect(error.message).toContain('lla_a');
  });

  const cuts = [5, 12, 20, 24, 31, 40, 100, 333, 1000, 4000, 10_000, 20_000, 30_000, 40_000, 46_000, 60_000];
  const lengths = [
    ...cuts,
    ...[0.3, 0.5, 0.9].map((part) => Math.floor(tiny.length * part)),
    tiny.length - 33,
  ];
  it.each(lengths)('E1 refuses a model cut at byte %i', (length) => {
    const error = errorOf(file('cut.gguf', tiny.subarray(0, length)));
    expect(error).toBeInstanceOf(ModelTruncated);
    expect(error.detail).toMatchObject({ actualBytes: length });
    expect(error.detail?.expectedBytes).toBeGreaterThan(length);
  });

  it('E1 survives any byte of the header being false', () => {
    const header = tiny.length - addon.readHeader(TINY).weightBytes;
    for (let offset = 0; offset < header; offset += Math.ceil(header / 400)) {
      const path = patched('flipped.gguf', offset, Uint8Array.of((tiny[offset] as number) ^ 0xff));
      try {
        addon.readHeader(path);
      } catch (error) {
        expect([NotAModel, ModelTruncated, ModelUnsupported].some((type) => error instanceof type)).toBe(
          true,
        );
      }
    }
  });
});
