/**
 * What must be on disk of each page, as the jobs on it have ended: after a spill that ended well the page that it wrote, after
 * one that failed the one before it. Looked at as whoever comes next would find it.
 */
import { crc32 } from 'node:zlib';
import type { PagesJob, SpillJob, SpillLaneJob } from '../../src/pages/job.js';
import { folderName } from '../../src/pages/names.js';
import { read } from '../../src/pages/read.js';
import type { PageLayout, PageTarget } from '../../src/pages/source.js';
import { TRANSCRIPT } from '../../src/pages/transcript.js';
import { DIR, type FakeDisk } from './fake-disk.js';

/** A job on one page. */
export type PageJob = PagesJob & { readonly what: 'spill' | 'spill-lane' | 'restore' | 'remove' };

export interface Section {
  readonly kind: number;
  readonly data: Uint8Array;
}

const NOTHING = 'nothing';
const SPOILT = 'a page that is refused';

export class Generations {
  readonly #broken: (what: string) => void;
  /** What may be there, by name. */
  readonly #allowed = new Map<string, readonly string[]>();

  constructor(broken: (what: string) => void) {
    this.#broken = broken;
  }

  /** A byte of that file was changed. */
  spoilt(path: string): void {
    for (const [name, allowed] of this.#allowed) {
      if (path.includes(`/${folderName(name)}/`)) this.#allowed.set(name, [...allowed, SPOILT, NOTHING]);
    }
  }

  /** A job has ended. `sections`: of what it was to write. */
  look(job: PageJob, error: unknown, disk: FakeDisk, sections: () => readonly Section[]): void {
    const { name } = job;
    const before = this.#allowed.get(name) ?? [NOTHING];
    const found = this.found(name, disk);
    const allowed = allowedAfter(job, error, before, sections);
    if (!allowed.includes(found)) {
      const ended = error === undefined ? 'well' : `with ${codeOf(error)}`;
      this.#broken(`${job.what} of ${name} ended ${ended}; on disk is ${found}, not ${allowed.join(' or ')}`);
    }
    this.#allowed.set(name, allowed.length > 1 && found !== SPOILT ? [found] : allowed);
  }

  /** Names of pages that are on disk, whole or not. */
  names(disk: FakeDisk): string[] {
    return [...this.#allowed.keys()].filter((name) => this.found(name, disk) !== NOTHING);
  }

  /** What whoever came next would find. */
  found(name: string, disk: FakeDisk): string {
    const copy = disk.copy();
    const files = { claim: () => true, unclaim: () => {} };
    let sections: Section[] = [];
    const part = (section: number, offset: number, length: number): Uint8Array =>
      (sections[section]?.data ?? new Uint8Array()).subarray(offset, offset + length);
    const begin = (layout: PageLayout): PageTarget => {
      sections = layout.sections.map(({ kind, bytes }) => ({ kind, data: new Uint8Array(bytes) }));
      return {
        checksum: (section, offset, length, before) => crc32(part(section, offset, length), before),
        read: (file, section, offset, length) => copy.read(file, part(section, offset, length)),
        seal: () => 1,
        discard: () => {},
      };
    };
    try {
      read({ path: DIR, lock: 0, disk: copy, files }, name, begin, () => {});
    } catch (error) {
      return codeOf(error) === 'NoSuchPage' ? NOTHING : SPOILT;
    }
    return gist(sections.map(({ kind, data }) => [kind, data.length, crc32(data)]));
  }
}

function allowedAfter(
  job: PageJob,
  error: unknown,
  before: readonly string[],
  sections: () => readonly Section[],
): readonly string[] {
  const isUnfinished = codeOf(error) === 'PublicationUnfinished';
  switch (job.what) {
    case 'spill':
    case 'spill-lane':
      return error === undefined || isUnfinished ? [written(job, sections())] : before;
    case 'remove':
      return error === undefined ? [NOTHING] : [...before, NOTHING];
    case 'restore':
      return before;
  }
}

const written = ({ transcript }: SpillJob | SpillLaneJob, sections: readonly Section[]): string =>
  gist(
    [...sections, { kind: TRANSCRIPT, data: transcript }].map(({ kind, data }) => [
      kind,
      data.length,
      crc32(data),
    ]),
  );

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

const gist = (sections: readonly (readonly number[])[]): string =>
  sections.map((section) => section.join(':')).join(' ');
