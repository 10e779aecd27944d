/**
 * Where everything of a pages folder lies:
 *
 *     lock                      who owns the folder
 *     pages/<page>/manifest     a page: its manifest and the files of its sections
 *     pages/<page>/0-kv ...
 *     staging/<page>/...        a publication on its way; it is committed as soon as it has a manifest
 */
import { join } from 'node:path';

export const MANIFEST = 'manifest';
/** The manifest until it is synced and renamed. */
export const DRAFT = 'manifest.draft';

/** By number of kind. */
const KINDS: Readonly<Record<number, string>> = {
  1: 'kv',
  2: 'tokens',
  3: 'meta',
  4: 'checkpoint',
  7: 'transcript',
};

export const lockPath = (dir: string): string => join(dir, 'lock');
export const pagesPath = (dir: string): string => join(dir, 'pages');
export const stagingPath = (dir: string): string => join(dir, 'staging');

/** `folder`: see `folderName`. */
export const pagePath = (dir: string, folder: string): string => join(dir, 'pages', folder);
export const stagePath = (dir: string, folder: string): string => join(dir, 'staging', folder);

export const sectionName = (index: number, kind: number): string =>
  `${index}-${KINDS[kind] ?? `kind-${kind}`}`;
