import { expect, test } from 'vitest';
import { ENDS_KEPT } from '../../src/runtime/defaults.js';
import { Ends } from '../../src/runtime/ends.js';

/** What is answered to one who asks, once it is. */
function asking(ends: Ends, id: number, lives: boolean): unknown[] {
  const answers: unknown[] = [];
  ends.tell(id, lives, { resolve: (value) => answers.push(value), reject: (error) => answers.push(error) });
  return answers;
}

test('R3 all who ask why an actor ended hear it when it has, once', () => {
  const ends = new Ends();
  const answers = [asking(ends, 7, true), asking(ends, 7, true), asking(ends, 8, true)];
  expect(answers).toEqual([[], [], []]);
  ends.ended(7, 'it left');
  ends.ended(7, 'it was lost');
  expect(answers).toEqual([['it left'], ['it left'], []]);
  expect(asking(ends, 7, false)).toEqual(['it left']);
});

test('R3 reasons are kept of the last ends only', () => {
  const ends = new Ends();
  for (let id = 0; id <= ENDS_KEPT; id++) ends.ended(id, `reason ${id}`);
  expect(asking(ends, 0, false)).toEqual(['no actor lives at this address']);
  expect(asking(ends, 1, false)).toEqual(['reason 1']);
  expect(asking(ends, ENDS_KEPT, false)).toEqual([`reason ${ENDS_KEPT}`]);
});
