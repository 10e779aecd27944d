/**
 * The fingerprint of a context, as `name=value;...`: what a page's KV depends on beside tokens and genes. The addon compares it
 * when a page comes into a lane; here, before a page is read from disk. Pure.
 */
import { PageMismatch } from '../errors.js';

/** Throws PageMismatch, with the first field that differs. */
export function checkFingerprint(page: string, here: string): void {
  if (page === here) return;
  const theirs = fieldsOf(page);
  for (const [field, value] of fieldsOf(here)) {
    const other = theirs.get(field) ?? '';
    if (other !== value) throw new PageMismatch({ field, page: other, here: value });
  }
  throw new PageMismatch({ field: 'fingerprint', page, here });
}

const fieldsOf = (fingerprint: string): Map<string, string> =>
  new Map(
    fingerprint.split(';').map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    }),
  );
