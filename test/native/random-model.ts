/**
 * Small models of several kinds with random weights: right for which state a lane keeps and how it may be cut,
 * wrong for anything about text. Their vocabulary is a SentencePiece one.
 */
import { type Tensor, type Value, writeGguf } from './gguf-writer.js';

export type Kind = 'dense' | 'recurrent' | 'hybrid' | 'window';

export const ARCHITECTURE = {
  dense: 'llama',
  recurrent: 'mamba',
  hybrid: 'jamba',
  window: 'gemma2',
} as const;
const EMBEDDING = 64;
const FEED = 96;
const HEADS = 4;
const LAYERS = 4;
const INNER = 2 * EMBEDDING;
const CONVOLUTION = 4;
const STATE = 8;
const RANK = 4;
const CONTEXT = 1024;
export const WINDOW = 32;

const BYTES = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
const WORDS = [
  '▁',
  'h',
  'e',
  'l',
  'o',
  'w',
  'r',
  'd',
  'he',
  'll',
  'hell',
  'hello',
  '▁hello',
  'wo',
  'rld',
  'world',
  '▁world',
  '▁wo',
];
const TOKENS = ['<unk>', '<s>', '</s>', '<|turn|>', ...BYTES, ...WORDS];

function vocabulary(): Record<string, Value> {
  const types = TOKENS.map((token) => {
    if (token === '<unk>') return 2;
    if (BYTES.includes(token)) return 6;
    return WORDS.includes(token) ? 1 : 3;
  });
  return {
    'tokenizer.ggml.model': { type: 'string', value: 'llama' },
    'tokenizer.ggml.tokens': { type: 'strings', value: TOKENS },
    'tokenizer.ggml.scores': { type: 'float32s', value: TOKENS.map((token) => token.length) },
    'tokenizer.ggml.token_type': { type: 'int32s', value: types },
    'tokenizer.ggml.bos_token_id': { type: 'uint32', value: 1 },
    'tokenizer.ggml.eos_token_id': { type: 'uint32', value: 2 },
    'tokenizer.ggml.unknown_token_id': { type: 'uint32', value: 0 },
  };
}

/** Every other layer of a hybrid model attends. */
const attends = (kind: Kind, layer: number) => kind !== 'recurrent' && (kind !== 'hybrid' || layer % 2 === 1);

export function shapes(kind: Kind): Record<string, number[]> {
  const all: Record<string, number[]> = {
    'token_embd.weight': [EMBEDDING, TOKENS.length],
    'output_norm.weight': [EMBEDDING],
  };
  for (let layer = 0; layer < LAYERS; layer++) {
    const add = (name: string, ...shape: number[]) => {
      all[`blk.${layer}.${name}`] = shape;
    };
    add('attn_norm.weight', EMBEDDING);
    if (attends(kind, layer)) {
      for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output'])
        add(`${name}.weight`, EMBEDDING, EMBEDDING);
    } else {
      add('ssm_in.weight', EMBEDDING, 2 * INNER);
      add('ssm_conv1d.weight', CONVOLUTION, INNER);
      add('ssm_conv1d.bias', INNER);
      add('ssm_x.weight', INNER, RANK + 2 * STATE);
      add('ssm_dt.weight', RANK, INNER);
      add('ssm_dt.bias', INNER);
      add('ssm_a', STATE, INNER);
      add('ssm_d', INNER);
      add('ssm_out.weight', INNER, EMBEDDING);
    }
    if (kind === 'hybrid' && !attends(kind, layer)) {
      add('ssm_dt_norm.weight', RANK);
      add('ssm_b_norm.weight', STATE);
      add('ssm_c_norm.weight', STATE);
    }
    if (kind === 'recurrent') continue;
    add('ffn_norm.weight', EMBEDDING);
    add('ffn_gate.weight', EMBEDDING, FEED);
    add('ffn_up.weight', EMBEDDING, FEED);
    add('ffn_down.weight', FEED, EMBEDDING);
    if (kind !== 'window') continue;
    add('post_attention_norm.weight', EMBEDDING);
    add('post_ffw_norm.weight', EMBEDDING);
  }
  // The other kinds use the table of token embeddings for their output too.
  if (kind === 'dense') all['output.weight'] = [EMBEDDING, TOKENS.length];
  return all;
}

/** Writes the model; `spoil` may change a tensor before it is written. */
export function writeRandomModel(path: string, kind: Kind, spoil: (tensor: Tensor) => void = () => {}): void {
  const architecture = ARCHITECTURE[kind];
  const own = (entries: Record<string, Value>) =>
    Object.fromEntries(Object.entries(entries).map(([key, value]) => [`${architecture}.${key}`, value]));
  const uint32 = (value: number): Value => ({ type: 'uint32', value });
  const entries = {
    'general.architecture': { type: 'string', value: architecture } as const,
    ...own({
      context_length: uint32(CONTEXT),
      embedding_length: uint32(EMBEDDING),
      block_count: uint32(LAYERS),
      feed_forward_length: uint32(FEED),
      'attention.head_count': uint32(HEADS),
      'attention.head_count_kv': {
        type: 'uint32s',
        value: Array.from({ length: LAYERS }, (_, layer) => (attends(kind, layer) ? HEADS : 0)),
      },
      'attention.layer_norm_rms_epsilon': { type: 'float32', value: 1e-5 },
      'attention.key_length': uint32(EMBEDDING / HEADS),
      'attention.value_length': uint32(EMBEDDING / HEADS),
      'attention.sliding_window': uint32(WINDOW),
      'ssm.conv_kernel': uint32(CONVOLUTION),
      'ssm.inner_size': uint32(INNER),
      'ssm.state_size': uint32(STATE),
      'ssm.time_step_rank': uint32(RANK),
    }),
    ...vocabulary(),
  };
  let state = 12345;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const tensors = Object.entries(shapes(kind)).map(([name, shape]): Tensor => {
    const data = Float32Array.from({ length: shape.reduce((size, each) => size * each, 1) }, () =>
      name.endsWith('norm.weight')
        ? 1 + 0.1 * random()
        : name.endsWith('ssm_a')
          ? -1 + random()
          : 0.4 * random(),
    );
    const tensor = { name, shape, data };
    spoil(tensor);
    return tensor;
  });
  writeGguf(path, entries, tensors);
}
