/** Short turns that must not fail, for tests of what they do rather than of what is said in them. */
import { expect } from 'vitest';
import type { Mind, TurnResult } from '../../src/index.js';
import { greedy } from './stage.js';

export async function say(mind: Mind, text: string, room = 'main'): Promise<TurnResult> {
  const result = await mind.turn(text, { maxTokens: 16, sampling: greedy, room }).result;
  expect(result.error).toBeUndefined();
  return result;
}

/** What a turn's one run did. */
export const ran = ({ receipt }: TurnResult) => receipt.runs[0] as NonNullable<(typeof receipt.runs)[0]>;

export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
