/**
 * Messages of an exact length in tokens, for models with the embedded tokenizer.
 */
import { loadAddon } from '../../dist/native/load.js';
import { chat, EMBEDDED } from './settings.mjs';

/** Each a token of its own behind a space. */
const WORDS = ['sea', 'king', 'land', 'house', 'day', 'hand', 'men', 'time'];

/** Tokens of the prompt that one message to a mind without a system prompt becomes. */
export function promptOf(model, message) {
  return model.tokenize(chat(message), { special: true, continues: false });
}

/**
 * A message whose prompt has exactly `tokens` tokens. `start`: its first words, so that two messages of one length
 * can differ.
 */
export function messageOf(tokens, start = 'Speak') {
  const model = loadAddon().loadModel({ path: EMBEDDED, mmap: false, gpuLayers: 0 });
  try {
    let message = start;
    for (let word = 0; promptOf(model, message).length < tokens; word++) {
      message += ` ${WORDS[word % WORDS.length]}`;
    }
    const made = promptOf(model, message).length;
    if (made !== tokens) throw new Error(`the message became ${made} tokens, not ${tokens}`);
    return message;
  } finally {
    model.close();
  }
}
