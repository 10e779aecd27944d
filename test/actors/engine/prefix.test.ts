import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginRun, emptyLane, type Lane } from '../../../src/actors/engine/lane.js';
import {
  alike,
  type Beginning,
  chooseSource,
  hasCome,
  SHARE_FROM,
} from '../../../src/actors/engine/prefix.js';
import { greedy } from '../../native/fixtures.js';

const text = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i);
const begins = (given: Partial<Beginning> = {}): Beginning => ({
  tokens: text(100),
  base: 0,
  phenotype: '',
  ...given,
});

function lane(number: number, tokens: number[], held: number, running = true, given: object = {}): Lane {
  const made = emptyLane(number);
  const run = {
    type: 'run' as const,
    grant: number,
    epoch: 0,
    activity: `${number}`,
    lane: number,
    continues: false,
    sharing: 0,
    vacated: 0,
    tokens: Int32Array.from(tokens),
    genes: [],
    base: 0,
    partings: [],
    sampling: greedy,
    stops: [],
    maxTokens: 10,
    reader: 1,
    turn: number,
    ...given,
  };
  beginRun(made, run, 1, number, held, 0);
  if (!running) made.run = undefined;
  return made;
}

describe('P3 beginnings are alike', () => {
  it.each<[string, Partial<Beginning>, Partial<Beginning>, number]>([
    ['whole with equal tokens and genes', { phenotype: 'a 1' }, { phenotype: 'a 1' }, 100],
    ['as far as tokens are equal', {}, { tokens: [...text(40), ...text(60, 7)] }, 40],
    ['not at all under other genes', { phenotype: 'a 1' }, { phenotype: 'b 1' }, 0],
    ['not at all under another scale', { phenotype: 'a 1' }, { phenotype: 'a 0.5' }, 0],
    ['where both run no genes', { phenotype: 'a 1', base: 60 }, { phenotype: 'b 1', base: 70 }, 60],
    [
      'where one runs no genes yet and the other never',
      { phenotype: 'a 1', base: 60 },
      { base: Infinity },
      60,
    ],
    [
      'not beyond where the same genes begin elsewhere',
      { phenotype: 'a 1', base: 60 },
      { phenotype: 'a 1' },
      0,
    ],
  ])('P3 %s', (_what, a, b, expected) => {
    expect(alike(begins(a), begins(b))).toBe(expected);
    expect(alike(begins(b), begins(a))).toBe(expected);
  });

  it('P3 exactly as far as each cell has equal tokens before it and equal genes on each of them', () => {
    const phenotypes = fc.constantFrom('', 'a 1', 'b 1');
    const beginning = fc.record({
      tokens: fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 8 }),
      base: fc.integer({ min: 0, max: 8 }),
      phenotype: phenotypes,
    });
    const cells = ({ tokens, base, phenotype }: Beginning) =>
      Array.from(tokens, (token, i) => `${token} ${i < base ? '' : phenotype}`);
    fc.assert(
      fc.property(beginning, beginning, (a, b) => {
        const [one, two] = [cells(a), cells(b)];
        const plain = (each: Beginning) =>
          each.phenotype === '' ? { ...each, base: Number.POSITIVE_INFINITY } : each;
        let equal = 0;
        while (equal < Math.min(one.length, two.length) && one[equal] === two[equal]) equal++;
        expect(alike(plain(a), plain(b))).toBeLessThanOrEqual(equal);
        if (a.base === b.base) expect(alike(plain(a), plain(b))).toBe(equal);
      }),
    );
  });
});

describe('E5 a run', () => {
  const fresh = () => lane(0, text(200), 0);
  it('E5 shares from the lane that holds most of its beginning, running or idle, but never its last token', () => {
    const some = lane(1, text(90), 90);
    const all = lane(2, text(300), 250, false);
    const source = chooseSource(fresh(), [some, all]);
    expect(source).toMatchObject({ tokens: 199, run: undefined });
    expect(source?.lane).toBe(all);
  });

  it('E5 shares nothing where too little is gained', () => {
    expect(chooseSource(fresh(), [lane(1, text(SHARE_FROM - 1), SHARE_FROM - 1)])).toBeUndefined();
    expect(chooseSource(lane(0, text(200), 80), [lane(1, text(100), 100)])).toBeUndefined();
  });

  it('E5 waits for a prompt that is being processed, until it is there or has ended', () => {
    const leader = lane(1, text(150), 10);
    const source = chooseSource(fresh(), [leader]);
    expect(source).toMatchObject({ tokens: 150, run: leader.run });
    if (source === undefined) return;
    expect(hasCome(source)).toBe(false);
    leader.held = 150;
    expect(hasCome(source)).toBe(true);
    leader.held = 20;
    leader.run = undefined;
    expect(hasCome(source)).toBe(true);
  });

  it('E5 waits for no run that waits itself, and not for what is hardly more than it can have now', () => {
    const waiting = lane(1, text(150), 0);
    if (waiting.run !== undefined)
      waiting.run.leader = { lane: lane(2, text(150), 0), tokens: 99, run: undefined };
    expect(chooseSource(fresh(), [waiting])).toBeUndefined();
    const ready = lane(3, text(140), 140, false);
    expect(chooseSource(fresh(), [lane(1, text(150), 10), ready])?.lane).toBe(ready);
  });
});
