import { describe, expect, it } from 'vitest';
import { checkStops, MAX_STOP_BYTES, MAX_STOPS } from '../../../src/actors/engine/stops.js';

describe('E2 the stop option', () => {
  it('E2 takes one string, a list, or nothing', () => {
    expect(checkStops('a', 'stop')).toEqual(['a']);
    expect(checkStops(['a', 'b'], 'stop')).toEqual(['a', 'b']);
    expect(checkStops(undefined, 'stop')).toEqual([]);
  });

  it.each([
    [7, 'stop'],
    ['', 'stop'],
    [['a', ''], 'stop[1]'],
    [['a', null], 'stop[1]'],
    ['x'.repeat(MAX_STOP_BYTES + 1), 'stop'],
    [Array.from({ length: MAX_STOPS + 1 }, () => 'a'), 'stop'],
  ])('E2 refuses %j and names the place', (value, argument) => {
    expect(() => checkStops(value, 'stop')).toThrow(
      expect.objectContaining({ code: 'BadArgument', detail: expect.objectContaining({ argument }) }),
    );
  });
});
