/**
 * Whether a troupe could start here: each thing it needs, looked at alone, with what is wrong and how to mend it.
 *
 * Loads no weights and starts no actors; works when the addon is missing, which it then says.
 */
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { AddonMissing, asTroupeError, type TroupeError } from './errors.js';
import type { AddonFacts } from './jobs/addon-facts.js';
import type { ModelHeader } from './native/addon.js';
import {
  type CheckedTroupeOptions,
  checkTroupeOptions,
  defaultThreads,
  fitContext,
  type TroupeOptions,
} from './options.js';
import { canBeMade, isInMemory } from './page-folder.js';
import { notOwn } from './pages/own-folder.js';
import { Offload } from './runtime/offload.js';
import { size } from './runtime/size.js';
import { checkMemory, makeDir, moduleUrl } from './stage.js';

export interface Finding {
  readonly about: 'node' | 'addon' | 'model' | 'memory' | 'threads' | 'folder' | 'pages';
  readonly good: boolean;
  readonly says: string;
  /** What to do about it; of what is good, what would be better. */
  readonly mend?: string;
}

const NODE_AT_LEAST = [20, 17] as const;
const JOB_MS = 30_000;

/** Never rejects for what it finds. Throws `BadArgument` for options that are none. */
export async function checkup(options?: TroupeOptions): Promise<Finding[]> {
  const checked = checkTroupeOptions(options);
  const offload = new Offload({ threads: 1 });
  try {
    const header = await headerOf(offload, checked.model);
    return [
      node(),
      await addon(offload),
      ...model(checked, header),
      threads(checked, header),
      folder(checked),
      pages(checked),
    ];
  } finally {
    await offload.close();
  }
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = NODE_AT_LEAST;
  const good = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  const says = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return good
    ? { about: 'node', good, says }
    : { about: 'node', good, says, mend: `install Node ${NODE_AT_LEAST.join('.')} or newer` };
}

async function addon(offload: Offload): Promise<Finding> {
  try {
    const { version, systemInfo } = await offload.run<AddonFacts>(
      moduleUrl('./jobs/addon-facts.js'),
      null,
      JOB_MS,
    );
    return { about: 'addon', good: true, says: `built, ${version}${features(systemInfo)}` };
  } catch (error) {
    return wrong('addon', asTroupeError(error), 'npm run build');
  }
}

/** What of the processor is used, of llama.cpp's `CPU : AVX = 1 | AVX2 = 1 | ...`. */
function features(systemInfo: string): string {
  const used = [...systemInfo.matchAll(/(\w+) = 1\b/g)].map(([, name]) => name);
  return used.length === 0 ? '' : `, with ${used.join(', ')}`;
}

async function headerOf(offload: Offload, path: string): Promise<ModelHeader | TroupeError> {
  try {
    return await offload.run<ModelHeader>(moduleUrl('./jobs/model-header.js'), path, JOB_MS);
  } catch (error) {
    return asTroupeError(error);
  }
}

/** The model's file, and whether it fits in memory. */
function model(options: CheckedTroupeOptions, header: ModelHeader | TroupeError): Finding[] {
  if (header instanceof Error) {
    const mend = header instanceof AddonMissing ? 'npm run build' : 'name another file with --model';
    return [wrong('model', header, mend)];
  }
  const { architecture, fileBytes, layers, contextTrain } = header;
  const says = `${basename(options.model)}: ${architecture}, ${layers} layers, ${size(fileBytes)}, trained for ${contextTrain} tokens`;
  return [{ about: 'model', good: true, says }, memory(options, header)];
}

function memory(options: CheckedTroupeOptions, header: ModelHeader): Finding {
  try {
    const { context, cells } = fitContext(options, header.contextTrain);
    checkMemory(options, header, cells);
    const needs = `weights ${size(header.weightBytes)}, ${options.lanes} lanes of ${context} tokens ${size(cells * header.cellBytes)}`;
    return { about: 'memory', good: true, says: `${needs}; ${size(options.hostBytes)} may be used` };
  } catch (error) {
    return wrong('memory', asTroupeError(error), 'take a smaller model, or fewer lanes');
  }
}

/** How many decode by default goes by the model. */
function threads(options: CheckedTroupeOptions, header: ModelHeader | TroupeError): Finding {
  const known = header instanceof Error ? undefined : defaultThreads(header.weightBytes);
  const decoding = options.threads ?? known ?? 'as many as the model is worth';
  const says = `${availableParallelism()} cores: threads that decode ${decoding}, that minds live on ${options.hosts}`;
  return { about: 'threads', good: true, says };
}

function folder({ dir }: CheckedTroupeOptions): Finding {
  try {
    makeDir(dir);
    return { about: 'folder', good: true, says: `data goes to ${dir}` };
  } catch (error) {
    return wrong('folder', asTroupeError(error), 'make it writable, or set XDG_RUNTIME_DIR to one that is');
  }
}

/** A troupe can start whatever this is; what it spills may not free memory, or not last. */
function pages({ pageDir }: CheckedTroupeOptions): Finding {
  const mend = 'name a folder on a disk as memory.dir, or set XDG_STATE_HOME to one';
  const goTo = { about: 'pages', good: true, says: `pages go to ${pageDir}` } as const;
  if (!canBeMade(pageDir)) return { ...goTo, says: `${goTo.says}, which cannot be written to`, mend };
  let reason: string | undefined;
  try {
    reason = notOwn(pageDir);
  } catch (error) {
    reason = (error as Error).message;
  }
  if (reason !== undefined)
    return { ...goTo, says: `${goTo.says}, which nothing is written to: ${reason}`, mend };
  if (!isInMemory(pageDir)) return goTo;
  const says = `${goTo.says}, which is memory and not a disk: a page there frees none, and does not last`;
  return { ...goTo, says, mend };
}

const wrong = (about: Finding['about'], error: TroupeError, mend: string): Finding => ({
  about,
  good: false,
  says: error.message,
  mend,
});
