/**
 * The chat template of models that bring none: headed paragraphs in plain text.
 *
 * Headers end with a line break, so that a reply written after one and the same reply rendered later are the same
 * text, whatever it begins with.
 */
export const FALLBACK_TEMPLATE = `{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ message.content + '\\n\\n' }}
{%- elif message.role == 'user' -%}
{{ 'User:\\n' + message.content + '\\n\\n' }}
{%- else -%}
{{ 'Assistant:\\n' + message.content + '\\n\\n' }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ 'Assistant:\\n' }}
{%- endif -%}`;
