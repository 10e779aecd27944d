import { expect, test } from 'vitest';
import { asJson, judge } from '../../bench/harness/report.mjs';

const figure = { figure: 'raw-1', value: 0.951234567, unit: 'ratio', bar: 0.95, better: 'higher' };

test('a figure is one JSON object of exactly these fields', () => {
  expect(asJson('serving', judge({ ...figure, spread: [0.9, 1], note: 'words' }))).toBe(
    '{"bench":"serving","figure":"raw-1","value":0.951235,"unit":"ratio","bar":0.95,"better":"higher","ok":true}',
  );
});

test.each([
  [{ value: 0.949 }, false],
  [{ value: 0.95 }, true],
  [{ value: 2.1, bar: 2, better: 'lower' }, false],
  [{ value: 2, bar: 2, better: 'lower' }, true],
  [{ value: 0.1, bar: undefined }, true],
  [{ value: Number.NaN, bar: undefined }, false],
])('%o is ok: %s', (change, expected) => {
  expect(judge({ ...figure, ...change }).ok).toBe(expected);
});
