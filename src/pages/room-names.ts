/**
 * What the page of a mind's room is called on disk: the mind, a slash, the room. A slash in the mind's own name is written
 * otherwise, so that no two rooms meet.
 */

export const pageNameOf = (mind: string, room: string): string =>
  `${mind.replace(/[%/]/g, encodeURIComponent)}/${room}`;

/** Mind and room of a page's name. */
export function roomOfPage(name: string): { readonly mind: string; readonly room: string } {
  const slash = name.indexOf('/');
  const mind = name.slice(0, slash).replace(/%25|%2F/g, decodeURIComponent);
  return { mind, room: name.slice(slash + 1) };
}
