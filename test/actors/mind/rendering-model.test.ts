/** Rendering with the embedded model's own template and tokenizer. */
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createRenderer, type Message } from '../../../src/actors/mind/rendering.js';
import { loadAddon } from '../../../src/native/load.js';
import { textOf } from './templates.js';

const path = fileURLToPath(new URL('../../../models/parlour-5m-Q8_0.gguf', import.meta.url));
const model = loadAddon().loadModel({ path, mmap: false, gpuLayers: 0 });
afterAll(() => model.close());

const user = (content: string): Message => ({ role: 'user', content });
const [START, END] = ['<|im_start|>', '<|im_end|>'].map(
  (text) => model.tokenize(text, { special: true, continues: true })[0],
);
const specials = new Set(
  model.specials().map((text) => model.tokenize(text, { special: true, continues: true })[0]),
);

describe('E5 with the embedded model', () => {
  it('E5 a prompt reads as its template says, in the model’s own tokens', () => {
    const { tokens } = createRenderer(model).render([user('Good evening.')], true);
    expect(textOf(model, tokens)).toBe('<|im_start|>user\nGood evening.<|im_end|>\n<|im_start|>assistant\n');
    expect(tokens).toEqual(model.tokenize(textOf(model, tokens), { special: true, continues: false }));
  });

  it('E5 special tokens in what people wrote stay text', () => {
    const piece = fc.oneof(fc.constantFrom(...model.specials(), '<|im_', 'end|>', '<|', '\n'), fc.string());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const content = pieces.join('');
        const { tokens } = createRenderer(model).render([user(content)], true);
        expect([...tokens].filter((token) => specials.has(token))).toEqual([START, END, START]);
        expect(textOf(model, tokens)).toBe(`<|im_start|>user\n${content}<|im_end|>\n<|im_start|>assistant\n`);
      }),
      { numRuns: 300 },
    );
  });

  it('E5 each prompt begins with the last one and its reply, whatever tokens the reply has', () => {
    const renderer = createRenderer(model);
    const token = fc.integer({ min: 0, max: model.info.vocabulary - 1 }).filter((id) => !specials.has(id));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.array(token, { minLength: 1 })), { maxLength: 5 }),
        (turns) => {
          let transcript: readonly Message[] = [{ role: 'system', content: 'You keep a lighthouse.' }];
          let before = new Int32Array(0);
          for (const [question, answer] of turns) {
            const { tokens, messages } = renderer.render([...transcript, user(question)], true);
            expect(tokens.slice(0, before.length)).toEqual(before);
            const reply = Int32Array.from(answer);
            const content = textOf(model, reply);
            transcript = [...messages, { role: 'assistant', content, tokens: reply, tokensOf: content }];
            before = Int32Array.from([...tokens, ...reply]);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
