/** Chat templates in the manner of well-known model families, and a small tokenizer to render them with. */

export const CHATML = `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

export const LLAMA3 = `{{- bos_token }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}`;

export const MISTRAL = `{{ bos_token }}
{%- if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] %}{% set rest = messages[1:] %}
{%- else %}{% set system = '' %}{% set rest = messages %}{% endif %}
{%- for message in rest %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate user and assistant') }}{% endif %}
    {%- if message['role'] == 'user' %}
        {%- if loop.first and system %}{{ '[INST] ' + system + '\\n\\n' + message['content'] + ' [/INST]' }}
        {%- else %}{{ '[INST] ' + message['content'] + ' [/INST]' }}{% endif %}
    {%- else %}{{ message['content'] + eos_token }}{% endif %}
{%- endfor %}`;

export const GEMMA = `{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages %}
    {%- set role = 'model' if message['role'] == 'assistant' else message['role'] %}
    {{- '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}`;

/** Drops what an earlier reply thought. */
export const THINKING = `{%- for message in messages %}
    {%- set content = message['content'] %}
    {%- if message['role'] == 'assistant' and '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}
    {{- '<|im_start|>' + message['role'] + '\\n' + content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

export const SHOUTING = `{% for message in messages %}{{ '<|im_start|>' + message['content'] | upper + '<|im_end|>' }}{% endfor %}`;

/** Writes only what people and minds said, and silently nothing of the system. */
export const DROPS_SYSTEM = `{% for message in messages %}{% if message['role'] != 'system' %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' }}{% endif %}{% endfor %}`;

export const SPECIALS = [
  '<|im_start|>',
  '<|im_end|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|eot_id|>',
  '[INST]',
  '[/INST]',
  '<start_of_turn>',
  '<end_of_turn>',
  '<s>',
  '</s>',
];
const FIRST_SPECIAL = 0x400000;
const PAIR = 0x200000;

export const idOf = (special: string): number => FIRST_SPECIAL + SPECIALS.indexOf(special);
export const isSpecial = (token: number): boolean => token >= FIRST_SPECIAL;

/**
 * A tokenizer that shows where a text was cut: two neighbouring lower-case letters are one token, from the left.
 * Every other character is one; so "ab" + "c" and "a" + "bc" differ.
 */
export function fakeVocab(template: string | null, options: { addBos?: boolean } = {}) {
  const calls: { text: string; special: boolean; continues: boolean }[] = [];
  const finder = new RegExp(`(${SPECIALS.map((s) => s.replace(/[|[\]/]/g, '\\$&')).join('|')})`);
  const plain = (text: string): number[] =>
    [...text.matchAll(/[a-z]{2}|[\s\S]/gu)].map(([unit]) =>
      unit.length === 2 && /[a-z]/.test(unit)
        ? PAIR + unit.charCodeAt(0) * 128 + unit.charCodeAt(1)
        : (unit.codePointAt(0) as number),
    );
  const textOf = (token: number, special: boolean): string => {
    if (isSpecial(token)) return special ? (SPECIALS[token - FIRST_SPECIAL] as string) : '';
    if (token < PAIR) return String.fromCodePoint(token);
    return String.fromCharCode((token - PAIR) >> 7, (token - PAIR) & 127);
  };
  return {
    calls,
    info: { template, addBos: options.addBos ?? false, bos: idOf('<s>'), eos: idOf('</s>') },
    specials: () => SPECIALS,
    tokenize(text: string, given: { special: boolean; continues: boolean }): Int32Array {
      calls.push({ text, ...given });
      if (!given.special) return Int32Array.from(plain(text));
      return Int32Array.from(
        text.split(finder).flatMap((part) => (SPECIALS.includes(part) ? [idOf(part)] : plain(part))),
      );
    },
    detokenize: (tokens: Int32Array, special: boolean): Uint8Array =>
      new TextEncoder().encode([...tokens].map((token) => textOf(token, special)).join('')),
  };
}

export const textOf = (
  vocab: { detokenize(tokens: Int32Array, special: boolean): Uint8Array },
  tokens: Int32Array,
): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(vocab.detokenize(tokens, true));
