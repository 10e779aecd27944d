/**
 * Whether a folder is its user's own: what lies there is for nobody else to read, put away or replace. A link may be led
 * elsewhere by whoever made it, also while it is used.
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { isOwn } from '../user.js';

/** Why a folder is not to be used; undefined: it may be, or is not there. Throws the system's error. */
export function notOwn(path: string): string | undefined {
  // A slash at its end would have the system follow a link.
  const folder = resolve(path);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) {
    return `it is a link to ${readlinkSync(folder)}; name the folder that it leads to`;
  }
  return isOwn(found.uid) ? undefined : `it belongs to another user, of number ${found.uid}`;
}
