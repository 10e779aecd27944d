/**
 * Being told once of the end of what a handle holds.
 */
import { checkCallback } from './check.js';

/** Answers the function that takes this back. Throws `BadArgument`. */
export function onEnd(ended: Promise<string>, told: (reason: string) => void): () => void {
  let call: ((reason: string) => void) | undefined = checkCallback(told, 'told');
  void ended.then((reason) => call?.(reason));
  return () => {
    call = undefined;
  };
}
