/**
 * Offload job: page files. A spill runs at the lowest priority of its thread, so that the steps of the engine do not
 * show it.
 */
import { Aborted, BadArgument, DeadlineExceeded, PageCorrupt } from '../errors.js';
import { loadAddon } from '../native/load.js';
import { SectionKind } from '../native/pages.js';
import type { Directory } from '../pages/directory.js';
import { realDisk } from '../pages/disk.js';
import type { Tick } from '../pages/file.js';
import { checkFingerprint } from '../pages/fingerprint.js';
import type {
  Brought,
  Owned,
  PagesAnswer,
  PagesJob,
  RestoreJob,
  SpillJob,
  SpillLaneJob,
  Until,
} from '../pages/job.js';
import { lockDirectory } from '../pages/lock.js';
import { checkGenes, type PageMeta, readMeta } from '../pages/meta.js';
import { type Brings, broughtOver, laneSource, type PiecesEnd } from '../pages/pieces.js';
import { Progress } from '../pages/progress.js';
import { publish } from '../pages/publish.js';
import { list, type PageFile, pageFile, read, remove } from '../pages/read.js';
import { recover } from '../pages/recover.js';
import type { PageLayout, PageTarget } from '../pages/source.js';
import { sourceOf, targetOf } from '../pages/store.js';
import { withoutTranscript, withTranscript } from '../pages/transcript.js';
import { defineJob } from '../runtime/offload.js';

type OwnedJob = Exclude<PagesJob, { readonly what: 'open' | 'spill-lane' }>;

export default defineJob((job: PagesJob & Brought): PagesAnswer[PagesJob['what']] => {
  if (job.what === 'open') return open(job.path);
  if (job.what !== 'spill-lane') return runIn(directoryOf(job), job);
  return spillLane(directoryOf(job), job, broughtOver(job.pieces as PiecesEnd, `the lane of ${job.name}`));
});

/** Does a job in a folder that is owned. */
export function runIn(directory: Directory, job: OwnedJob): PagesAnswer[OwnedJob['what']] {
  switch (job.what) {
    case 'list':
      return list(directory);
    case 'remove':
      remove(directory, job.name);
      return undefined;
    case 'spill':
      return spill(directory, job);
    case 'restore':
      return restore(directory, job);
  }
}

const directoryOf = ({ path, lock }: Owned): Directory => ({
  path,
  lock,
  disk: realDisk,
  files: loadAddon().files,
});

function open(path: string): PagesAnswer['open'] {
  const { files } = loadAddon();
  const directory = lockDirectory(path, files);
  try {
    return { owned: { path, lock: directory.lock }, damaged: recover(directory) };
  } catch (error) {
    files.unlock(directory.lock);
    throw error;
  }
}

function spill(directory: Directory, job: SpillJob): PagesAnswer['spill'] {
  const { pages, files } = loadAddon();
  files.yieldThread();
  pages.retain(job.page);
  let published: PagesAnswer['spill'];
  try {
    if (pages.info(job.page)?.sealed === false) {
      throw new BadArgument({ argument: 'page', value: job.page, expected: 'a page that is whole' });
    }
    const tick = ticking(job, `the spill of ${job.name}`);
    const source = withTranscript(sourceOf(pages, job.page), job.transcript, directory.disk);
    published = pageFile(publish(directory, job.name, source, Date.now(), tick));
  } finally {
    pages.release(job.page);
  }
  return published;
}

/** Writes a lane as its pieces are brought. */
export function spillLane(directory: Directory, job: SpillLaneJob, brings: Brings): PageFile {
  const { pages } = loadAddon();
  const tick = ticking(job, `the spill of ${job.name}`);
  const window = brings.open();
  pages.retain(window.page);
  try {
    const lane = laneSource(pages, window, brings);
    const source = withTranscript(lane, job.transcript, directory.disk);
    return pageFile(publish(directory, job.name, source, Date.now(), tick));
  } finally {
    pages.release(window.page);
  }
}

function restore(directory: Directory, job: RestoreJob): PagesAnswer['restore'] {
  const { pages } = loadAddon();
  const tick = ticking(job, `the restoring of ${job.name}`);
  let transcript: Uint8Array = new Uint8Array();
  const keep = (bytes: Uint8Array): void => {
    transcript = bytes;
  };
  const target = (layout: PageLayout): PageTarget => {
    if (job.fingerprint !== undefined) checkFingerprint(layout.fingerprint, job.fingerprint);
    return targetOf(pages, layout);
  };
  const begin = withoutTranscript(target, keep, directory.disk);
  const { page, manifest } = read(directory, job.name, begin, tick);
  try {
    if (job.genes !== undefined) checkGenes(metaOf(job.name, page).genes, job.genes);
    const charged = pages.info(page)?.bytes ?? 0;
    return { ...pageFile(manifest), page, charged, transcript };
  } catch (error) {
    pages.release(page);
    throw error;
  }
}

function metaOf(name: string, page: number): PageMeta {
  const meta = loadAddon().pages.section(page, SectionKind.meta);
  if (meta === undefined) throw new PageCorrupt({ what: name, reason: 'it has no description' });
  return readMeta(meta);
}

function ticking({ at, deadlineMs, progress }: Until, what: string): Tick {
  const shared = new Progress(progress);
  const tick = (bytes: number): void => {
    shared.add(bytes);
    if (shared.stopped) throw new Aborted({ what });
    if (Date.now() > at) throw new DeadlineExceeded({ what, deadlineMs });
  };
  tick(0);
  return tick;
}
