/**
 * A small model with a lane that has read something: real pages for the tests of page files.
 */
import { afterAll } from 'vitest';
import type { NativeContext } from '../../src/native/addon.js';
import { SectionKind } from '../../src/native/pages.js';
import { addon, contextOptions, feed, load, TINY } from '../native/fixtures.js';

const model = load(TINY);
export const context: NativeContext = model.context(contextOptions);
afterAll(() => {
  context.close();
  model.close();
});

/** Tokens that follow from a number. */
export const read = (number: number): number[] =>
  Array.from({ length: 60 + (number % 40) }, (_, i) => 4 + ((i * 37 + number * 11) % 250));

/** A page of a lane that has read them. */
export function realPage(number: number): number {
  context.clear(0);
  feed(context, 0, read(number), 0);
  return context.pageOut(0, [
    { kind: SectionKind.tokens, data: new Uint8Array(Int32Array.from(read(number)).buffer) },
    { kind: SectionKind.meta, data: new TextEncoder().encode(`page ${number}`) },
  ]);
}

/** The logits of some steps from a page on, which stays as it is. */
export function logitsFrom(page: number): Float32Array[] {
  context.clear(1);
  context.pageIn(1, page);
  return [9, 31, 77].map((token) => {
    feed(context, 1, [token], 2);
    return context.logits(0);
  });
}

export const metaOf = (page: number): string =>
  new TextDecoder().decode(addon.pages.section(page, SectionKind.meta));
