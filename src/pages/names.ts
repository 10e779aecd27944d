/**
 * Names of pages and of their folders. A page is named by its activity (`ada/main`), in any characters; a folder's name is
 * a readable part and a hash of the whole name, in characters that every file system keeps apart, also one that does
 * not tell upper case from lower. The name itself is recorded in the manifest.
 */
import { createHash } from 'node:crypto';
import { BadArgument } from '../errors.js';

/** Longest name in UTF-16 units: more than a mind and a room need, and little enough for a manifest. */
export const NAME_UNITS = 1_024;
const READABLE = 40;
/** 128 bits: names that meet by chance are out of reach, and a folder's name stays short. */
const HASH_DIGITS = 32;

export function checkPageName(name: unknown): string {
  if (typeof name === 'string' && name.length >= 1 && name.length <= NAME_UNITS) return name;
  throw new BadArgument({ argument: 'name', value: name, expected: `1 to ${NAME_UNITS} characters` });
}

/** `Ada/main` becomes `ada_main-` and 32 hexadecimal digits. Of UTF-16, which also tells lone surrogates apart. */
export function folderName(name: string): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, READABLE);
  const hash = createHash('sha256').update(Buffer.from(name, 'utf16le')).digest('hex').slice(0, HASH_DIGITS);
  return `${readable}-${hash}`;
}

/** Whether something in a folder of pages is one of its own. */
export const isFolderName = (entry: string): boolean => /^[a-z0-9_]{1,40}-[0-9a-f]{32}$/.test(entry);
