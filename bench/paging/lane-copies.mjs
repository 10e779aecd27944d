/**
 * Copies between a lane and a page, measured against one thread's memcpy of as many bytes into warm memory of the same kind.
 *
 * The two take turns, and both count their thread's processor time, so that a busy machine disturbs both alike.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadAddon } from '../../dist/native/load.js';
import { buildNativeTests } from '../../native/test/run.mjs';
import { ownProcessorTimeUs } from '../harness/processor.mjs';
import { median, spread } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';

const ROUNDS = 15;
/** Rows of a step that reads a prompt. */
export const PROMPT_ROWS = 256;
export const ADDON = loadAddon();

/** Runs `use(context)` on a context of the bench model with so many tokens in each of its lanes, placed token by token. */
export async function withLanes({ say, lanes, tokens }, use) {
  const { model: path } = await benchModel({ say });
  const model = ADDON.loadModel({ path, mmap: true, gpuLayers: 0 });
  try {
    const context = model.context({
      ...{
        lanes,
        cells: lanes * tokens + PROMPT_ROWS,
        rows: PROMPT_ROWS,
        threads: 1,
        promptThreads: 2,
        flashAttention: true,
      },
    });
    try {
      say(`processing ${lanes * tokens} tokens`);
      fill(context, lanes, tokens);
      return await use(context);
    } finally {
      context.close();
    }
  } finally {
    model.close();
  }
}

function fill(context, lanes, tokens) {
  const each = Math.floor(PROMPT_ROWS / lanes);
  for (let from = 0; from < tokens; from += each) {
    const rows = [];
    for (let position = from; position < Math.min(tokens, from + each); position++) {
      for (let lane = 0; lane < lanes; lane++) rows.push(100 + (position % 1000), lane, position, 0);
    }
    const status = context.step(Int32Array.from(rows), rows.length / 4, new Int32Array(lanes));
    if (status !== 0) throw new Error(`a step failed: ${context.failure()}`);
  }
}

/** Ratios of page out and page in to the memcpy, and of the first page out, into memory never touched. */
export async function measureCopies(context, { say }) {
  const lane = context.lanes - 1;
  const bytes = context.pageBytes(lane, []);
  const memcpy = await startMemcpy(bytes, say);
  const taken = { out: [], in: [], cold: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      ADDON.pages.trim();
      taken.cold.push(pageOutAndIn(context, lane).out / (await memcpy.us()));
      const { out, back } = pageOutAndIn(context, lane);
      const copy = await memcpy.us();
      taken.out.push(out / copy);
      taken.in.push(back / copy);
    }
  } finally {
    memcpy.stop();
  }
  return { bytes, ...taken };
}

function pageOutAndIn(context, lane) {
  const begun = ownProcessorTimeUs();
  const page = context.pageOut(lane, []);
  const between = ownProcessorTimeUs();
  context.pageIn(lane, page);
  const ended = ownProcessorTimeUs();
  ADDON.pages.release(page);
  return { out: between - begun, back: ended - between };
}

async function startMemcpy(bytes, say) {
  const build = await buildNativeTests({ say, targets: ['copy_rate'] });
  const child = spawn(join(build, 'copy_rate'), [String(bytes)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  return {
    async us() {
      child.stdin.write('\n');
      const [line] = await once(lines, 'line');
      return Number(line) / 1000;
    },
    stop: () => child.stdin.end(),
  };
}

export function figureOf(figure, ratios, bytes, bar) {
  return {
    ...{ figure, value: median(ratios), unit: '', bar, better: 'lower', spread: spread(ratios) },
    note: `${(bytes / 1e6).toFixed(0)} MB`,
  };
}
