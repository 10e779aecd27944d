import { describe, expect, it } from 'vitest';
import { checkSampling, resolveSampling, SAMPLING_DEFAULTS } from '../../../src/actors/engine/sampling.js';

describe('E2 sampling options', () => {
  it('E2 every field at its edges is taken as it is', () => {
    const least = {
      temperature: 0,
      topK: 0,
      topP: 0.01,
      minP: 0,
      repeatPenalty: 0.1,
      repeatLast: -1,
      seed: 0,
    };
    const most = {
      temperature: 100,
      topK: 9,
      topP: 1,
      minP: 1,
      repeatPenalty: 2,
      repeatLast: 9,
      seed: 4294967295,
    };
    expect(checkSampling(least, 'sampling')).toEqual(least);
    expect(checkSampling(most, 'sampling')).toEqual(most);
    expect(checkSampling(undefined, 'sampling')).toEqual({});
  });

  it.each([
    ['temperature', -0.1],
    ['temperature', Number.NaN],
    ['temperature', Number.POSITIVE_INFINITY],
    ['temperature', '0.8'],
    ['topK', 1.5],
    ['topK', -1],
    ['topP', 0],
    ['topP', 1.1],
    ['minP', -0.1],
    ['minP', 1.1],
    ['repeatPenalty', 0],
    ['repeatLast', -2],
    ['seed', -1],
    ['seed', 4294967296],
    ['seed', 0.5],
    ['seed', null],
  ])('E2 %s of %s is refused by its name', (field, value) => {
    expect(() => checkSampling({ [field]: value }, 'turn.sampling')).toThrow(
      expect.objectContaining({
        code: 'BadArgument',
        detail: expect.objectContaining({ argument: `turn.sampling.${field}`, value }),
      }),
    );
  });

  it.each([7, 'hot', null, [0.8]])('E2 %j is no set of options', (value) => {
    expect(() => checkSampling(value, 'sampling')).toThrow(expect.objectContaining({ code: 'BadArgument' }));
  });

  it('E2 a mistyped field names the right one, another the list', () => {
    expect(() => checkSampling({ temprature: 1 }, 'sampling')).toThrow(/sampling\.temprature.*temperature/);
    expect(() => checkSampling({ top_k: 1 }, 'sampling')).toThrow(/topK/);
    expect(() => checkSampling({ constructor: 1 }, 'sampling')).toThrow(/only temperature, topK/);
  });

  it('E2 a field that is undefined is as if left out', () => {
    expect(checkSampling({ topK: undefined }, 'sampling')).toEqual({});
  });

  it('E2 later layers win, and only where they say something', () => {
    expect(resolveSampling([{ temperature: 0, topK: 5 }, undefined, { topK: 7 }], 42)).toEqual({
      ...SAMPLING_DEFAULTS,
      temperature: 0,
      topK: 7,
      seed: 42,
    });
    expect(resolveSampling([{ seed: 1 }], 42).seed).toBe(1);
  });

  it('E2 the defaults pass their own check', () => {
    expect(checkSampling(SAMPLING_DEFAULTS, 'defaults')).toEqual(SAMPLING_DEFAULTS);
  });
});
