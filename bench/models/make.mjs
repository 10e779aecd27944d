/**
 * The bench model, in Q8_0 and in Q4_0, and its adapters: the shape of a real model of 370 million weights, with random
 * ones. Good for throughput, and for nothing that reads what it says. Made once, into the library cache.
 *
 * As a script: `node bench/models/make.mjs` prints where they are.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, exists, publish, withLock } from '../../native/llama/cache.mjs';
import { TOKENIZER, writeAdapter, writeModel } from './model.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));

export const SHAPE = {
  width: 1024,
  layers: 24,
  heads: 16,
  kvHeads: 8,
  headSize: 64,
  ffn: 3072,
  vocabulary: 32_000,
  context: 32_768,
};
export const ADAPTERS = { count: 16, rank: 16, alpha: 16 };
/** A week. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * @param {{ say: (line: string) => void }} options
 * @returns {Promise<{ model: string, q4: string, adapters: string[] }>} paths; `q4`: the model in Q4_0
 */
export async function benchModel({ say }) {
  const folder = join(cacheFolder(), 'bench', `model-${recipe()}`);
  if (!(await exists(folder))) {
    await withLock(join(cacheFolder(), 'bench'), say, async () => {
      if (await exists(folder)) return;
      say('making the bench model (390 MB, and 250 MB in Q4_0) and its adapters (once)');
      await removeOld(dirname(folder));
      await publish(folder, async (part) => {
        writeModel(join(part, 'model.gguf'), SHAPE, 'Q8_0');
        writeModel(join(part, 'model-q4_0.gguf'), SHAPE, 'Q4_0');
        for (let i = 0; i < ADAPTERS.count; i++)
          writeAdapter(join(part, `adapter-${i}.gguf`), SHAPE, ADAPTERS, i);
      });
    });
  }
  const adapters = Array.from({ length: ADAPTERS.count }, (_, i) => join(folder, `adapter-${i}.gguf`));
  return { model: join(folder, 'model.gguf'), q4: join(folder, 'model-q4_0.gguf'), adapters };
}

/** Models of other recipes, but for young ones: another checkout may be measuring with them. */
async function removeOld(cache) {
  const old = readdirSync(cache)
    .filter((name) => name.startsWith('model-'))
    .filter((name) => Date.now() - statSync(join(cache, name)).mtimeMs > KEPT_MS);
  await Promise.all(old.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}

/** What is made depends on these scripts and on the tokenizer's file alone. */
function recipe() {
  const hash = createHash('sha256').update(readFileSync(TOKENIZER));
  for (const file of readdirSync(HERE).sort()) hash.update(readFileSync(join(HERE, file)));
  return hash.digest('hex').slice(0, 12);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { model, adapters } = await benchModel({ say: (line) => console.error(line) });
  console.log([model, ...adapters].join('\n'));
}
