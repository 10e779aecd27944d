/**
 * Models and adapters of any shape with random weights, as files. A shape is `{ width, layers, heads, kvHeads, headSize, ffn,
 * vocabulary, context }`.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kind, readMetadata, TensorType, writeGguf } from './gguf.mjs';
import { f16, normals, ones, q4_0, q8_0 } from './weights.mjs';

export const TOKENIZER = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  'models',
  'parlour-5m-Q8_0.gguf',
);

/** Deviation of an adapter's B, beside 1 / sqrt(inputs) of every other matrix: a change, not another model. */
const ADAPTER_B = 0.05;

/** The seven projections of a layer: `[name, inputs, outputs]`. */
const projections = ({ width, heads, kvHeads, headSize, ffn }) => [
  ['attn_q', width, heads * headSize],
  ['attn_k', width, kvHeads * headSize],
  ['attn_v', width, kvHeads * headSize],
  ['attn_output', heads * headSize, width],
  ['ffn_gate', width, ffn],
  ['ffn_up', width, ffn],
  ['ffn_down', ffn, width],
];

/** What a quantisation is called in a file (`general.file_type`), and how the weights of layers are made. */
const QUANTISATIONS = {
  Q8_0: { fileType: 7, type: TensorType.q8_0, pack: q8_0 },
  Q4_0: { fileType: 2, type: TensorType.q4_0, pack: q4_0 },
};

/** Embeddings and output are in Q8_0 always; a file in Q4_0 has them in finer types too. */
export function writeModel(path, shape, quantisation) {
  const next = normals(1);
  const { width, vocabulary } = shape;
  const { metadata, speakable } = paddedTokenizer(vocabulary);
  const matrix = (name, inputs, outputs, { type, pack } = QUANTISATIONS.Q8_0) => ({
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
  const layers = Array.from({ length: shape.layers }, (_, i) => [
    norm(`blk.${i}.attn_norm`),
    norm(`blk.${i}.ffn_norm`),
    ...projections(shape).map(([name, inputs, outputs]) =>
      matrix(`blk.${i}.${name}`, inputs, outputs, QUANTISATIONS[quantisation]),
    ),
  ]);
  writeGguf(
    path,
    [...modelMetadata(shape, QUANTISATIONS[quantisation]), ...metadata],
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
function paddedTokenizer(vocabulary) {
  const metadata = readMetadata(TOKENIZER).filter(([key]) => key.startsWith('tokenizer.'));
  const arrayOf = (key) => metadata.find(([name]) => name === key)[1].value.values;
  const tokens = arrayOf('tokenizer.ggml.tokens');
  const types = arrayOf('tokenizer.ggml.token_type');
  const [normal] = types;
  while (tokens.length < vocabulary) types[tokens.push(`Ġw${tokens.length}`) - 1] = normal;
  const speakable = tokens.map((text, token) => types[token] === normal && /^Ġ?[\x21-\x7e]+$/.test(text));
  return { metadata, speakable };
}

const said = (value) => ({ kind: Kind.string, value });
const whole = (value) => ({ kind: Kind.u32, value });
const real = (value) => ({ kind: Kind.f32, value });

const modelMetadata = (shape, { fileType }) => [
  ['general.architecture', said('llama')],
  ['general.type', said('model')],
  ['general.name', said('bench')],
  ['general.description', said('Random weights in the shape of a real model, for benchmarks.')],
  ['general.file_type', whole(fileType)],
  ['general.quantization_version', whole(2)],
  ['llama.vocab_size', whole(shape.vocabulary)],
  ['llama.context_length', whole(shape.context)],
  ['llama.embedding_length', whole(shape.width)],
  ['llama.block_count', whole(shape.layers)],
  ['llama.feed_forward_length', whole(shape.ffn)],
  ['llama.attention.head_count', whole(shape.heads)],
  ['llama.attention.head_count_kv', whole(shape.kvHeads)],
  ['llama.attention.layer_norm_rms_epsilon', real(1e-5)],
  ['llama.rope.dimension_count', whole(shape.headSize)],
  ['llama.rope.freq_base', real(500_000)],
];

/** On all seven projections. */
export function writeAdapter(path, shape, { rank, alpha }, index) {
  const next = normals(1000 + index);
  const factor = (name, inputs, outputs, scale) => ({
    name,
    dims: [inputs, outputs],
    type: TensorType.f16,
    fill: () => f16(next, inputs * outputs, scale),
  });
  const tensors = Array.from({ length: shape.layers }, (_, i) =>
    projections(shape).flatMap(([name, inputs, outputs]) => [
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
