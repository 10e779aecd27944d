/** Pages of others in this process, which take what memory there is. */
import { SectionKind } from '../../src/native/pages.js';
import { addon } from '../native/fixtures.js';

export const MIB = 2 ** 20;

/** Until the function that it answers is called. */
export function ballast(bytes: number): () => void {
  const sections = [{ kind: SectionKind.kv, bytes }];
  const page = addon.pages.create({ fingerprint: 'none', cells: 1, sections });
  return () => {
    addon.pages.release(page);
    addon.pages.trim();
  };
}
