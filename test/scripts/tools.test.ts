import { describe, expect, test } from 'vitest';
import { atLeast, explainMissing, missingTools, onPath } from '../../scripts/tools.mjs';

const complete = {
  node: '20.17.0',
  npm: '/usr/bin/npm',
  git: '/usr/bin/git',
  cmake: '/usr/bin/cmake',
  cmakeVersion: '3.19.0',
  cc: '/usr/bin/cc',
  cxx: '/usr/bin/c++',
  builder: '/usr/bin/make',
};

const debianFor = (found: object) => missingTools({ ...complete, ...found }).map(({ debian }) => debian);

describe('tool check', () => {
  test('a complete machine lacks nothing', () => {
    expect(missingTools(complete)).toEqual([]);
  });

  test.each([
    [{ npm: undefined }, ['npm']],
    [{ git: undefined }, ['git']],
    [{ cmake: undefined }, ['cmake']],
    [{ cmakeVersion: '3.18.4' }, ['cmake']],
    [{ cc: undefined }, ['gcc']],
    [{ cxx: undefined }, ['g++']],
    [{ builder: undefined }, ['make']],
    [{ node: '18.20.4' }, ['nodejs']],
    [{ cmake: undefined, cxx: undefined, builder: undefined }, ['cmake', 'g++', 'make']],
  ])('%o needs %o', (found, packages) => {
    expect(debianFor(found)).toEqual(packages);
  });

  test('the message names every missing tool, its package, and one command for all', () => {
    const missing = missingTools({ ...complete, cmakeVersion: '3.18.4', cxx: undefined });
    expect(explainMissing(missing)).toBe(
      [
        'Troupe cannot be built yet; missing on this machine:',
        '  cmake 3.19 or newer (this is 3.18.4)      Debian package: cmake',
        '  a C++ compiler (c++, g++ or clang++)      Debian package: g++',
        'On Debian or Ubuntu: apt-get install cmake g++',
      ]
        .join('\n')
        .replace(/ {6}Debian/g, '  Debian'),
    );
  });

  test.each([
    ['3.19.0', '3.19.0', true],
    ['3.9.0', '3.19.0', false],
    ['4.0', '3.19.0', true],
    ['20.17.0', '20.17.0', true],
    ['20.9.1', '20.17.0', false],
  ])('%s is at least %s: %s', (version, least, expected) => {
    expect(atLeast(version, least)).toBe(expected);
  });

  test('a name is looked up on the PATH it is given', () => {
    expect(onPath(['node'], '/nowhere')).toBeUndefined();
    expect(onPath(['no-such-tool', 'sh'], '/nowhere:/bin')).toBe('/bin/sh');
  });
});
