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
import { Kind, readMetadata, TensorType, writeGguf } from './gguf.mjs';
import { f16, normals, ones, q4_0, q8_0 } from './weights.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const TOKENIZER = join(HERE, '..', '..', 'models', 'parlour-5m-Q8_0.gguf');

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
/** Deviation of an adapter's B, beside 1 / sqrt(inputs) of every other matrix: a change, not another model. */
const ADAPTER_B = 0.05;
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
        writeModel(join(part, 'model.gguf'), Q8_0);
        writeModel(join(part, 'model-q4_0.gguf'), Q4_0);
        for (let i = 0; i < ADAPTERS.count; i++) writeAdapter(join(part, `adapter-${i}.gguf`), i);
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

/** The seven projections of a layer: `[name, inputs, outputs]`. */
function projections() {
  const { width, heads, kvHeads, headSize, ffn } = SHAPE;
  return [
    ['attn_q', width, heads * headSize],
    ['attn_k', width, kvHeads * headSize],
    ['attn_v', width, kvHeads * headSize],
    ['attn_output', heads * headSize, width],
    ['ffn_gate', width, ffn],
    ['ffn_up', width, ffn],
    ['ffn_down', ffn, width],
  ];
}

/** What a quantisation is called in a file (`general.file_type`), and how the weights of layers are made. */
const Q8_0 = { fileType: 7, type: TensorType.q8_0, pack: q8_0 };
const Q4_0 = { fileType: 2, type: TensorType.q4_0, pack: q4_0 };

/** Embeddings and output are in Q8_0 always; a file in Q4_0 has them in finer types too. */
function writeModel(path, quantisation) {
  const next = normals(1);
  const { width, vocabulary } = SHAPE;
  const { metadata, speakable } = paddedTokenizer();
  const matrix = (name, inputs, outputs, { type, pack } = Q8_0) => ({
    name: `${name}.weight`,
    dims: [inputs, outputs],
    type,
    fill: () => pack(next, inputs * outputs, 1 / Math.sqrt(inputs)),
  });
  const norm = (name) => ({
    name: `${name}.weight`,
    dims: [width],
    type: TensorType.f32,
    fill: () => ones(width),
  });
  const output = matrix('output', width, vocabulary);
  const layers = Array.from({ length: SHAPE.layers }, (_, i) => [
    norm(`blk.${i}.attn_norm`),
    norm(`blk.${i}.ffn_norm`),
    ...projections().map(([name, inputs, outputs]) =>
      matrix(`blk.${i}.${name}`, inputs, outputs, quantisation),
    ),
  ]);
  writeGguf(
    path,
    [...modelMetadata(quantisation), ...metadata],
    [
      matrix('token_embd', width, vocabulary),
      ...layers.flat(),
      norm('output_norm'),
      { ...output, fill: () => silence(output.fill(), speakable) },
    ],
  );
}

/** Zeroes the rows of unspeakable tokens: a logit of 0 is never the largest of 32,000. */
function silence(rows, speakable) {
  const rowBytes = rows.length / speakable.length;
  for (const [token, speaks] of speakable.entries()) {
    if (!speaks) rows.fill(0, token * rowBytes, (token + 1) * rowBytes);
  }
  return rows;
}

/**
 * The embedded tokenizer with words that its merges never form, up to the vocabulary's size. A token is
 * speakable if it is plain text: greedy replies then never end by themselves, and every token shows as a piece.
 */
function paddedTokenizer() {
  const metadata = readMetadata(TOKENIZER).filter(([key]) => key.startsWith('tokenizer.'));
  const arrayOf = (key) => metadata.find(([name]) => name === key)[1].value.values;
  const tokens = arrayOf('tokenizer.ggml.tokens');
  const types = arrayOf('tokenizer.ggml.token_type');
  const [normal] = types;
  while (tokens.length < SHAPE.vocabulary) types[tokens.push(`Ġw${tokens.length}`) - 1] = normal;
  const speakable = tokens.map((text, token) => types[token] === normal && /^Ġ?[\x21-\x7e]+$/.test(text));
  return { metadata, speakable };
}

const said = (value) => ({ kind: Kind.string, value });
const whole = (value) => ({ kind: Kind.u32, value });
const real = (value) => ({ kind: Kind.f32, value });

const modelMetadata = ({ fileType }) => [
  ['general.architecture', said('llama')],
  ['general.type', said('model')],
  ['general.name', said('bench')],
  ['general.description', said('Random weights in the shape of a real model, for benchmarks.')],
  ['general.file_type', whole(fileType)],
  ['general.quantization_version', whole(2)],
  ['llama.vocab_size', whole(SHAPE.vocabulary)],
  ['llama.context_length', whole(SHAPE.context)],
  ['llama.embedding_length', whole(SHAPE.width)],
  ['llama.block_count', whole(SHAPE.layers)],
  ['llama.feed_forward_length', whole(SHAPE.ffn)],
  ['llama.attention.head_count', whole(SHAPE.heads)],
  ['llama.attention.head_count_kv', whole(SHAPE.kvHeads)],
  ['llama.attention.layer_norm_rms_epsilon', real(1e-5)],
  ['llama.rope.dimension_count', whole(SHAPE.headSize)],
  ['llama.rope.freq_base', real(500_000)],
];

function writeAdapter(path, index) {
  const next = normals(1000 + index);
  const { rank, alpha } = ADAPTERS;
  const factor = (name, inputs, outputs, scale) => ({
    name,
    dims: [inputs, outputs],
    type: TensorType.f16,
    fill: () => f16(next, inputs * outputs, scale),
  });
  const tensors = Array.from({ length: SHAPE.layers }, (_, i) =>
    projections().flatMap(([name, inputs, outputs]) => [
      factor(`blk.${i}.${name}.weight.lora_a`, inputs, rank, 1 / Math.sqrt(inputs)),
      factor(`blk.${i}.${name}.weight.lora_b`, rank, outputs, ADAPTER_B),
    ]),
  );
  writeGguf(
    path,
    [
      ['general.architecture', said('llama')],
      ['general.type', said('adapter')],
      ['general.name', said(`bench adapter ${index}`)],
      ['general.file_type', whole(1)],
      ['adapter.type', said('lora')],
      ['adapter.lora.alpha', real(alpha)],
    ],
    tensors.flat(),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { model, adapters } = await benchModel({ say: (line) => console.error(line) });
  console.log([model, ...adapters].join('\n'));
}
