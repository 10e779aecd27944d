/**
 * The header that every page file begins with: 64 bytes, little-endian, described in docs/page-files.md. Decoding
 * answers plain data or says in words why these are not the bytes of such a header.
 */
import { crc32 } from 'node:zlib';
import { PageMismatch } from '../errors.js';

export const HEADER_BYTES = 64;
export const FORMAT_VERSION = 1;
/** Kind of the file that describes the others; 1 to 6 are the kinds of sections. */
export const MANIFEST_KIND = 0;
export const MOST_KIND = 7;

/** `TRPPAGE` and a zero. */
const MAGIC = Buffer.from('TRPPAGE\0', 'latin1');
const CHECKED_BYTES = 60;

export interface FileHeader {
  readonly kind: number;
  /** Place among the page's sections; 0 for the manifest. */
  readonly index: number;
  /** Bytes after the header. */
  readonly bytes: number;
  /** CRC-32 of them. */
  readonly checksum: number;
  /** Which publication of this page it was. */
  readonly generation: number;
  /** 16 hexadecimal digits at random, the same in all files of one publication. */
  readonly publication: string;
}

export function encodeHeader(header: FileHeader): Uint8Array {
  const out = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(out);
  out.writeUInt32LE(FORMAT_VERSION, 8);
  out.writeUInt32LE(HEADER_BYTES, 12);
  out.writeBigUInt64LE(BigInt(header.bytes), 16);
  out.writeBigUInt64LE(BigInt(header.generation), 24);
  out.write(header.publication, 32, 8, 'hex');
  out.writeUInt32LE(header.kind, 40);
  out.writeUInt32LE(header.index, 44);
  out.writeUInt32LE(header.checksum, 48);
  out.writeUInt32LE(crc32(out.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
  return out;
}

/**
 * The header, or why it is none. `bytes`: what the file begins with, maybe too little. Throws PageMismatch for a file of
 * another version, which is no damage.
 */
export function decodeHeader(bytes: Uint8Array): FileHeader | string {
  if (bytes.length < HEADER_BYTES)
    return `it has ${bytes.length} bytes, and a header alone takes ${HEADER_BYTES}`;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  if (!view.subarray(0, MAGIC.length).equals(MAGIC)) return 'it does not begin as a page file does';
  const length = view.readUInt32LE(12);
  if (length !== HEADER_BYTES) return `its header says that it takes ${length} bytes, not ${HEADER_BYTES}`;
  const expected = view.readUInt32LE(CHECKED_BYTES);
  const actual = crc32(view.subarray(0, CHECKED_BYTES));
  if (actual !== expected) return checksumsDiffer('its header', expected, actual);
  const version = view.readUInt32LE(8);
  if (version !== FORMAT_VERSION) {
    throw new PageMismatch({
      field: 'file format version',
      page: String(version),
      here: String(FORMAT_VERSION),
    });
  }
  const payload = view.readBigUInt64LE(16);
  const generation = view.readBigUInt64LE(24);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  if (payload > most || generation > most) return 'its header holds numbers beyond all sense';
  const kind = view.readUInt32LE(40);
  if (kind > MOST_KIND) return `it is of the unknown kind ${kind}`;
  return {
    kind,
    index: view.readUInt32LE(44),
    bytes: Number(payload),
    checksum: view.readUInt32LE(48),
    generation: Number(generation),
    publication: view.toString('hex', 32, 40),
  };
}

export const checksumsDiffer = (what: string, expected: number, actual: number): string =>
  `the checksum of ${what} is ${hex(actual)} and was ${hex(expected)} when it was written`;

const hex = (value: number): string => value.toString(16).padStart(8, '0');
