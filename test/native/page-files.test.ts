/** Pages through files: whole ones come back bit for bit, spoiled ones are refused before llama.cpp sees them. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NativeFailure, PageCorrupt } from '../../src/errors.js';
import type { NativeContext, NativeModel } from '../../src/native/addon.js';
import { type PageInfo, SectionKind } from '../../src/native/pages.js';
import { addon, contextOptions, feed, load, thrown } from './fixtures.js';
import { type Kind, writeRandomModel } from './random-model.js';

const { pages } = addon;
const folder = mkdtempSync(join(tmpdir(), 'troupe-page-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const id of pages.list()) pages.release(id);
});
const FILE = join(folder, 'page');
const prompt = Array.from({ length: 100 }, (_, i) => 4 + ((i * 37) % 250));
const meta = Uint8Array.from([7, 8, 9]);

/** All sections one after the other, as a file has them. */
function write(page: number): { info: PageInfo; bytes: Buffer } {
  const info = pages.info(page) as PageInfo;
  const fd = openSync(FILE, 'w');
  for (const [i, { bytes }] of info.sections.entries()) {
    const half = Math.floor(bytes / 2);
    expect(pages.write(fd, page, i, 0, half)).toBe(half);
    pages.write(fd, page, i, half, bytes - half);
  }
  closeSync(fd);
  return { info, bytes: readFileSync(FILE) };
}

function read(info: PageInfo, bytes: Uint8Array): number {
  writeFileSync(FILE, bytes);
  const page = pages.create(info);
  const fd = openSync(FILE, 'r');
  for (const [i, section] of info.sections.entries()) pages.read(fd, page, i, 0, section.bytes);
  closeSync(fd);
  return page;
}

/** CRC-32, bit by bit. */
function crc32(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

describe.each<Kind>(['dense', 'window', 'recurrent', 'hybrid'])('P6 a page of a %s model', (kind) => {
  let model: NativeModel;
  let context: NativeContext;
  beforeAll(() => {
    const path = join(folder, `${kind}.gguf`);
    writeRandomModel(path, kind);
    model = load(path);
    context = model.context(contextOptions);
    context.setCheckpointBudget(2 ** 24);
  });
  afterEach(() => {
    for (const lane of [0, 1]) context.clear(lane);
  });
  afterAll(() => {
    context.close();
    model.close();
  });

  const paged = (): number => {
    feed(context, 0, prompt.slice(0, 60), 0);
    context.checkpoint(0);
    feed(context, 0, prompt.slice(60), 0);
    return context.pageOut(0, [{ kind: SectionKind.meta, data: meta }]);
  };
  const next = (lane: number): Float32Array => {
    expect(feed(context, lane, [9], 2).status).toBe(0);
    return context.logits(0);
  };
  const undisturbed = (): Float32Array => {
    feed(context, 1, prompt.slice(0, 60), 0);
    feed(context, 1, prompt.slice(60), 0);
    const logits = next(1);
    context.clear(1);
    return logits;
  };

  it('case-18 goes on bit for bit after it was read back, without a token of its own', () => {
    const expected = undisturbed();
    const page = paged();
    const { info, bytes } = write(page);
    expect(pages.checksum(page, 0, 0, 1000, 0)).toBe(crc32(bytes.subarray(0, 1000)));
    expect(pages.checksum(page, 0, 10, 990, pages.checksum(page, 0, 0, 10, 0))).toBe(
      crc32(bytes.subarray(0, 1000)),
    );
    pages.release(page);
    const again = read(info, bytes);
    pages.seal(again);
    expect(pages.info(again)).toMatchObject({ ...info, sealed: true });
    expect(pages.section(again, SectionKind.meta)).toEqual(meta);
    context.pageIn(0, again);
    expect(context.length(0)).toBe(prompt.length);
    expect(context.checkpoints(0).map(({ position }) => position)).toEqual(kind === 'dense' ? [] : [60]);
    expect(next(0)).toEqual(expected);
  });

  it('case-16 cut anywhere it is refused, and a cold run is as ever', () => {
    const expected = undisturbed();
    const page = paged();
    const { info, bytes } = write(page);
    for (let length = 0; length < Math.min(bytes.length, info.sections[0]!.bytes); length += 4096) {
      const cut = read(info, bytes.subarray(0, length));
      // The tensors' bytes are the files' own checksum's affair.
      try {
        pages.seal(cut);
      } catch (error) {
        expect(error).toBeInstanceOf(PageCorrupt);
        expect(thrown(() => context.pageIn(0, cut)).detail?.argument).toBe('page');
      }
      pages.release(cut);
    }
    const short = { ...info, sections: [{ kind: SectionKind.kv, bytes: info.sections[0]!.bytes - 64 }] };
    expect(thrown(() => pages.seal(read(short, bytes)))).toBeInstanceOf(PageCorrupt);
    expect(undisturbed()).toEqual(expected);
  });

  it('case-17 with any bit of its head turned it is refused', () => {
    const { info, bytes } = write(paged());
    const expected = undisturbed();
    const heads = Math.min(info.sections[0]!.bytes, 2048);
    let accepted = 0;
    for (let at = 0; at < heads; at += 3) {
      const spoiled = Buffer.from(bytes);
      spoiled[at]! ^= 1 << (at % 8);
      const page = read(info, spoiled);
      try {
        pages.seal(page);
        accepted++;
        context.pageIn(0, page);
        context.clear(0);
      } catch (error) {
        expect(error).toBeInstanceOf(PageCorrupt);
      }
      expect(context.length(0)).toBe(0);
      pages.release(page);
    }
    // What lies between the parts means nothing.
    expect(accepted).toBeLessThan(heads / 3);
    expect(undisturbed()).toEqual(expected);
  });
});

describe('P6 files', () => {
  it('case-23 that cannot be written or read are an error with the reason', () => {
    const page = pages.create({
      fingerprint: 'x',
      cells: 1,
      sections: [{ kind: SectionKind.kv, bytes: 2 ** 16 }],
    });
    const full = openSync('/dev/full', 'w');
    const error = thrown(() => pages.write(full, page, 0, 0, 2 ** 16));
    expect(error).toBeInstanceOf(NativeFailure);
    expect(error.detail).toMatchObject({ call: 'write', reason: expect.stringContaining('No space') });
    closeSync(full);
    expect(thrown(() => pages.write(full, page, 0, 0, 1)).detail?.reason).toContain('Bad file');
    const nothing = openSync('/dev/null', 'r');
    expect(pages.read(nothing, page, 0, 0, 100)).toBe(0);
    closeSync(nothing);
    const unreadable = openSync(FILE, 'w');
    expect(thrown(() => pages.read(unreadable, page, 0, 0, 100)).detail?.call).toBe('read');
    closeSync(unreadable);
  });
});
