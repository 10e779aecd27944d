/**
 * A model's own chat template, compiled once: roles and contents in, the text of a prompt out.
 */
import { Template } from '@huggingface/jinja';
import { TemplateFailed } from '../../errors.js';

export interface TemplateInput {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** Whether the text ends with the beginning of a reply. */
  readonly add_generation_prompt: boolean;
  readonly bos_token: string;
  readonly eos_token: string;
}

export type ChatTemplate = (input: TemplateInput) => string;

/** Throws TemplateFailed when the template cannot be parsed; what it returns throws it when it cannot render. */
export function compileTemplate(source: string): ChatTemplate {
  const template = orTemplateFailed(() => new Template(source));
  return (input) => orTemplateFailed(() => template.render({ ...input }));
}

function orTemplateFailed<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new TemplateFailed(
      { reason: error instanceof Error ? error.message : String(error) },
      { cause: error },
    );
  }
}
