/**
 * Errors of the test kit: an expectation that did not come true, and a system that will not come to rest.
 */
import { defineError } from '../runtime/errors.js';

export const ExpectationFailed = defineError<{ probe: string; expected: string; found: string }>(
  'ExpectationFailed',
  (d) => `${d.probe} expected ${d.expected}; ${d.found}`,
);

export const NeverSettles = defineError<{ what: string; steps: number; waiting: readonly string[] }>(
  'NeverSettles',
  (d) => {
    const waiting =
      d.waiting.length > 0 ? `still to come: ${d.waiting.join(', ')}` : 'nothing is left to come';
    return `${d.what} did not happen within ${d.steps} steps; ${waiting}`;
  },
);
