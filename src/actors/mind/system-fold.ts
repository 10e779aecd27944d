/**
 * System prompts for templates that know none: they open the first user message instead.
 *
 * Some templates (gemma's) raise an error at a system message, others drop it without a word. A persona must not
 * depend on that.
 */
import type { Markers } from './markers.js';

interface Given {
  readonly role: string;
  readonly content: string;
}

type Run = (messages: readonly Given[]) => string;

/** Remembers, for one template, whether it takes system messages. */
export function createSystemFold(): (messages: readonly Given[], markers: Markers, run: Run) => string {
  let folds = false;
  return (messages, markers, run) => {
    const [system, first, ...rest] = messages;
    if (system?.role !== 'system' || first?.role !== 'user') return run(messages);
    const folded = [{ role: first.role, content: `${system.content}\n\n${first.content}` }, ...rest];
    let firstError: unknown;
    if (!folds) {
      try {
        const output = run(messages);
        if (shows(output, system, markers)) return output;
      } catch (error) {
        firstError = error;
      }
    }
    try {
      const output = run(folded);
      folds = true;
      return output;
    } catch (error) {
      // Should it fail both ways, the first error tells more.
      throw firstError ?? error;
    }
  };
}

/** Whether anything of the system message came out; an empty one always does. */
const shows = (output: string, system: Given, markers: Markers): boolean =>
  [markers.open(0), markers.close(0)].some((mark) => output.includes(mark) || !system.content.includes(mark));
