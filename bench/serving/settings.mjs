/**
 * What both sides of a comparison are given: model, lanes, context, threads, and the words they begin with.
 */
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCH = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The script of a side, by its folder and name. */
export const script = (name) => join(BENCH, `${name}.mjs`);

export const EMBEDDED = join(BENCH, '..', 'models', 'parlour-5m-Q8_0.gguf');

/** Throughput is processor time with one ggml thread; its wall-clock figure uses every core. */
export const ONE_THREAD = 1;
export const ALL_CORES = availableParallelism();

const CONTEXT = 2048;
/** Longer than any comparison on the bench model lasts. */
export const REPLY = 1900;
const ROWS = 512;

export const settings = ({ model, minds, threads, context = CONTEXT, message = MESSAGE }) => ({
  model,
  minds,
  threads,
  context,
  cells: minds * context,
  rows: ROWS,
  flashAttention: true,
  message,
  prompt: chat(message),
});

/** Greedy replies to it, from any model used here, go on as long as they are let. */
export const MESSAGE = 'Tell me of the king and his sons.';

/** As the embedded model's template renders one message to a mind without a system prompt. */
export const chat = (message) => `<|im_start|>user\n${message}<|im_end|>\n<|im_start|>assistant\n`;
