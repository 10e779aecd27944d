/**
 * The manifest of a page: what it is, and the list of its files. It is the last file to be written, so that renaming it
 * into place in the staging folder is the commit record of a publication; and the last one to be moved.
 */
import { MOST_KIND } from './header.js';
import { NAME_UNITS } from './names.js';

/** Most sections of a page, as in the native store: its KV, tokens, meta, and more checkpoints than a lane keeps. */
export const MOST_SECTIONS = 4_096;
/** A manifest is read as a whole. */
export const MOST_MANIFEST_BYTES = 1 << 20;
const MOST_FINGERPRINT = 4_096;

export interface SectionFile {
  /** As in the native store: 1 kv, 2 tokens, 3 meta, 4 checkpoint; and 7, the transcript. */
  readonly kind: number;
  readonly bytes: number;
  readonly checksum: number;
}

export interface Manifest {
  readonly name: string;
  readonly generation: number;
  readonly publication: string;
  /** When it was written, ms since 1970. */
  readonly time: number;
  /** What the page fits: see `NativeContext.fingerprint`. */
  readonly fingerprint: string;
  readonly cells: number;
  /** In the page's order; the i-th lies in the file `sectionName(i, kind)`. */
  readonly sections: readonly SectionFile[];
}

export const pageBytes = (sections: readonly { readonly bytes: number }[]): number =>
  sections.reduce((sum, { bytes }) => sum + bytes, 0);

export const encodeManifest = (manifest: Manifest): Uint8Array =>
  Buffer.from(JSON.stringify(manifest), 'utf8');

/** The manifest, or why these bytes are none. */
export function decodeManifest(bytes: Uint8Array): Manifest | string {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return 'its text is not JSON';
  }
  const wrong = wrongField(value);
  return wrong === undefined ? (value as Manifest) : `its field ${wrong} is not as it must be`;
}

function wrongField(value: unknown): string | undefined {
  const fields = (value ?? {}) as Partial<Record<keyof Manifest, unknown>>;
  if (!isText(fields.name, 1, NAME_UNITS)) return 'name';
  if (!isWhole(fields.generation, 1)) return 'generation';
  if (typeof fields.publication !== 'string' || !/^[0-9a-f]{16}$/.test(fields.publication))
    return 'publication';
  if (!isWhole(fields.time, 0)) return 'time';
  if (!isText(fields.fingerprint, 0, MOST_FINGERPRINT)) return 'fingerprint';
  if (!isWhole(fields.cells, 0)) return 'cells';
  const sections = fields.sections;
  if (!Array.isArray(sections) || sections.length > MOST_SECTIONS) return 'sections';
  const bad = sections.findIndex((section) => !isSection(section));
  if (bad >= 0) return `sections[${bad}]`;
  return Number.isSafeInteger(pageBytes(sections)) ? undefined : 'sections';
}

function isSection(value: unknown): boolean {
  const { kind, bytes, checksum } = (value ?? {}) as Partial<Record<keyof SectionFile, unknown>>;
  return isWhole(kind, 1, MOST_KIND) && isWhole(bytes, 0) && isWhole(checksum, 0, 2 ** 32 - 1);
}

const isWhole = (value: unknown, least: number, most: number = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;

const isText = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'string' && value.length >= least && value.length <= most;
