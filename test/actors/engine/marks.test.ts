/** Where checkpoints are left. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APART, isDue, type Marks, rowsToMark, STRIDE } from '../../../src/actors/engine/marks.js';

/** Checkpoints of a lane that goes on to `length` in steps of at most so many tokens. */
function kept(marks: Marks, from: number, length: number, most: () => number): number[] {
  const positions: number[] = [];
  for (let held = from; held < length; ) {
    if (held > 0 && isDue(held, positions.at(-1) ?? 0, marks)) positions.push(held);
    held += Math.min(length - held, rowsToMark(held, marks), held < marks.replyAt ? most() : 1);
  }
  return positions;
}
const whole = (): number => 512;

describe('P7 checkpoints', () => {
  it.each([
    ['of a cold prompt', 0, 320, [200], 300, [200, 300]],
    ['of a short prompt', 0, 100, [10], 20, []],
    ['of a turn that goes on', 349, 500, [200, 350], 400, [349, 400]],
    ['of a turn that says little', 349, 380, [200, 350], 360, [349]],
    ['of a long prompt', 0, 2500, [], 2400, [1024, 2048, 2400]],
    ['of a long reply', 0, 1200, [], 100, [100, 1024 - APART + 1]],
  ] as const)('%s', (_, from, length, partings, replyAt, expected) => {
    expect(kept({ partings, replyAt }, from, length, whole)).toEqual(expected);
  });

  const cases = fc
    .tuple(fc.array(fc.integer({ min: 1, max: 4000 }), { maxLength: 3 }), fc.integer({ min: 1, max: 4000 }))
    .map(([partings, replyAt]) => ({
      partings: partings.filter((each) => each < replyAt).sort((a, b) => a - b),
      replyAt,
    }));
  const chunks = fc.infiniteStream(fc.integer({ min: 1, max: 600 }));

  it('serve every mark, from a little before it on, and lie no further apart than their stride', () => {
    fc.assert(
      fc.property(cases, chunks, (marks, sizes) => {
        const length = marks.replyAt + 1100;
        const positions = kept(marks, 0, length, () => sizes.next().value as number);
        for (const mark of [...marks.partings, marks.replyAt].filter((each) => each >= APART)) {
          expect(positions.some((each) => mark - APART < each && each <= mark)).toBe(true);
        }
        for (const [i, each] of [...positions, length].entries()) {
          expect(each - (positions[i - 1] ?? 0)).toBeLessThan(STRIDE + APART);
        }
      }),
    );
  });

  it('never stop a lane', () => {
    fc.assert(
      fc.property(cases, fc.nat(6000), (marks, held) => {
        expect(rowsToMark(held, marks)).toBeGreaterThanOrEqual(APART);
      }),
    );
  });
});
