/**
 * What a generation of a page holds: from one to four sections, of bytes that follow from its name and number.
 *
 * @param {string} name
 * @param {number} generation
 * @returns {Uint8Array[]}
 */
export function generationBytes(name, generation) {
  const count = 1 + (generation % 4);
  return Array.from({ length: count }, (_, section) => {
    const length = 20_000 + ((generation * 7919 + section * 104729) % 60_000);
    return Buffer.alloc(length, `${name} ${generation} ${section};`);
  });
}
