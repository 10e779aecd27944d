import { expect, test } from 'vitest';
import { matchesLock } from '../../scripts/packages.mjs';

const locked = {
  '': { version: '0.1.0' },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/b-win32': { version: '2.0.0', optional: true },
};

test.each([
  ['all is there', { 'node_modules/a': { version: '1.0.0' } }, true],
  ['another version is there', { 'node_modules/a': { version: '1.0.1' } }, false],
  ['a package is absent', { 'node_modules/c': { version: '1.0.0' } }, false],
  [
    'an optional package has another version',
    { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b-win32': { version: '1.9.0' } },
    false,
  ],
  ['nothing was installed', undefined, false],
])('installed when %s', (_, installed, expected) => {
  expect(matchesLock(locked, installed)).toBe(expected);
});
