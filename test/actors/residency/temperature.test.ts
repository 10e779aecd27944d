import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byColdest, type Uses, UseTimes } from '../../../src/actors/residency/temperature.js';

/** Turns in order, the contents that each runs as letters; answers these contents, the coldest first. */
function coldestFirst(turns: string, contents: string): string {
  const times = new UseTimes();
  for (const turn of turns.split(' ').filter(Boolean)) times.use(turn);
  return [...contents].sort((a, b) => byColdest(times.of(a), times.of(b))).join('');
}

describe('how warm a gene is', () => {
  it.each<[string, string, string, string]>([
    ['one that was used once goes before one that was used twice, however long ago', 'a a b', 'ab', 'ba'],
    ['of those used once the one used least recently', 'b a c', 'abc', 'bac'],
    ['one that was never used, first of all', 'a b', 'abz', 'zab'],
    ['of those used twice the one whose last use but one is older', 'a b b a', 'ab', 'ab'],
    ['whatever its last use', 'a b b a c a', 'ab', 'ba'],
    ['no decay: a thousand turns of others change nothing', `a a b b ${'c '.repeat(1_000)}`, 'ab', 'ab'],
    ['one turn is one use, however often it names a gene', 'b bb aaa a', 'ab', 'ba'],
    ['genes of one turn are equally warm', 'ba ab', 'ab', 'ab'],
  ])('G6 %s', (_, turns, contents, expected) => {
    expect(coldestFirst(turns, contents)).toBe(expected);
  });

  it('G6 the last use but one of each, as a list of all turns tells it', () => {
    const turns = fc.array(fc.array(fc.constantFrom(...'abcdef'), { maxLength: 4 }), { maxLength: 60 });
    fc.assert(
      fc.property(turns, (all) => {
        const times = new UseTimes();
        for (const turn of all) times.use(turn);
        for (const content of 'abcdef') {
          const [last = 0, before = 0] = all
            .flatMap((turn, i) => (turn.includes(content) ? [i + 1] : []))
            .reverse();
          expect(times.of(content)).toEqual({ last, before });
        }
      }),
    );
  });

  it('G6 goes on after a restart as if there had been none, from what was handed over', () => {
    const turns = fc.array(fc.array(fc.constantFrom(...'abcdef'), { maxLength: 4 }), { maxLength: 60 });
    fc.assert(
      fc.property(turns, turns, (before, after) => {
        const kept = new Map<string, Uses>();
        const keep = (content: string, uses: Uses | undefined): void => {
          if (uses === undefined) kept.delete(content);
          else kept.set(content, uses);
        };
        const [one, first] = [new UseTimes(), new UseTimes([], keep)];
        for (const turn of before) for (const times of [one, first]) times.use(turn);
        const second = new UseTimes([...kept].sort(), keep);
        for (const turn of after) for (const times of [one, second]) times.use(turn);
        for (const [a, b] of ['ab', 'cd', 'ef', 'bc', 'de'].map((pair) => [...pair] as [string, string])) {
          const [expected, found] = [one, second].map((times) => byColdest(times.of(a), times.of(b)));
          expect(Math.sign(found as number)).toBe(Math.sign(expected as number));
        }
      }),
    );
  });

  it('G6 what is remembered no more is not kept either', () => {
    const kept = new Set<string>();
    const times = new UseTimes([], (content, uses) =>
      uses === undefined ? kept.delete(content) : kept.add(content),
    );
    for (let i = 0; i <= 4_096; i++) times.use([`${i}`]);
    expect([kept.size, kept.has('0'), kept.has('4096')]).toEqual([4_096, false, true]);
  });

  it('G6 of more contents than are remembered those used least recently are as good as new', () => {
    const times = new UseTimes();
    for (let i = 0; i <= 4_096; i++) times.use([`${i}`]);
    expect(times.of('0')).toEqual({ last: 0, before: 0 });
    expect(times.of('1')).toEqual({ last: 2, before: 0 });
    times.use(['0']);
    expect(times.of('1')).toEqual({ last: 0, before: 0 });
  });
});
