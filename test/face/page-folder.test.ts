/** Where pages lie on disk if nobody says so: with the user's lasting data, on a disk (P5, U1). */
import { mkdirSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkup } from '../../src/checkup.js';
import { describe as described } from '../../src/cli/doctor.js';
import { checkTroupeOptions } from '../../src/options.js';
import { isInMemory, type Surroundings, stateFolder } from '../../src/page-folder.js';
import { folder, TINY } from './stage.js';

afterEach(() => vi.unstubAllEnvs());

const at = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}, home?: string): Surroundings => ({
  ...{ platform, env, home },
});

describe('the folder of lasting data', () => {
  test.each<[string, string | undefined, Surroundings]>([
    ['is the one that XDG names', '/s', at('linux', { XDG_STATE_HOME: '/s' }, '/ada')],
    ['is it without a home too', '/s', at('linux', { XDG_STATE_HOME: '/s' })],
    ['is not a relative one', '/ada/.local/state', at('linux', { XDG_STATE_HOME: 's' }, '/ada')],
    ['is not an empty one', '/ada/.local/state', at('freebsd', { XDG_STATE_HOME: '' }, '/ada')],
    ['is below the home', '/ada/.local/state', at('linux', {}, '/ada')],
    ['is none without a home', undefined, at('linux')],
    ['is what macOS has', '/ada/Library/Application Support', at('darwin', {}, '/ada')],
    ['is none on macOS without a home', undefined, at('darwin')],
    ['is what Windows names', 'C:\\Local', at('win32', { LOCALAPPDATA: 'C:\\Local' }, '/ada')],
    ['is that by its custom', '/ada/AppData/Local', at('win32', {}, '/ada')],
  ])('P5 %s', (_what, expected, given) => {
    expect(stateFolder(given)).toBe(expected);
  });
});

describe('where pages go', () => {
  const pageDir = (options?: unknown): string => checkTroupeOptions(options).pageDir;

  test('P5 by default it is not the runtime folder, which is gone at logout', () => {
    using place = folder();
    vi.stubEnv('XDG_RUNTIME_DIR', join(place.path, 'run'));
    vi.stubEnv('XDG_STATE_HOME', join(place.path, 'state'));
    expect(pageDir()).toBe(join(place.path, 'state', 'troupe', 'pages'));
    expect(checkTroupeOptions({}).dir).toBe(join(place.path, 'run', 'troupe'));
    vi.stubEnv('XDG_STATE_HOME', undefined);
    vi.stubEnv('HOME', place.path);
    expect(pageDir()).toBe(join(place.path, '.local', 'state', 'troupe', 'pages'));
  });

  test('P5 it is the data folder where there is no home, or the folder cannot be made', () => {
    using place = folder();
    const run = join(place.path, 'run');
    vi.stubEnv('XDG_RUNTIME_DIR', run);
    vi.stubEnv('XDG_STATE_HOME', undefined);
    vi.stubEnv('HOME', join(place.path, 'nowhere'));
    expect(pageDir()).toBe(join(run, 'troupe', 'pages'));
    const file = join(place.path, 'file');
    writeFileSync(file, '');
    vi.stubEnv('XDG_STATE_HOME', join(file, 'inside'));
    expect(pageDir()).toBe(join(run, 'troupe', 'pages'));
  });

  test('P5 it is where the options say, and in the data folder that they name', () => {
    using place = folder();
    const dir = join(place.path, 'data');
    vi.stubEnv('XDG_STATE_HOME', join(place.path, 'state'));
    expect(pageDir({ dir })).toBe(join(dir, 'pages'));
    expect(pageDir({ dir, memory: { dir: place.path } })).toBe(place.path);
    expect(pageDir({ memory: { dir: place.path } })).toBe(place.path);
  });
});

describe('U2 doctor', () => {
  const found = async (dir: string) => {
    const findings = await checkup({ model: TINY, memory: { dir } });
    const finding = findings.find(({ about }) => about === 'pages');
    return { finding, lines: finding === undefined ? [] : described([finding], 200) };
  };
  const SHM = '/dev/shm';
  const hasMemoryFolder = process.platform === 'linux' && statfsSync(SHM).type === 0x01021994;

  test('U2 warns of a folder that nothing is written to, for it is a link', async () => {
    using place = folder();
    const link = join(place.path, 'pages');
    symlinkSync(place.path, link);
    const { finding } = await found(link);
    expect(finding).toMatchObject({ good: true, says: expect.stringContaining(`a link to ${place.path}`) });
    expect(finding?.mend).toContain('memory.dir');
  });

  test('U2 warns of a folder that the system refuses to look at', async () => {
    using place = folder();
    const { finding } = await found(join(place.path, 'x'.repeat(300)));
    expect(finding).toMatchObject({ good: true, says: expect.stringContaining('ENAMETOOLONG') });
  });

  test('U2 says where pages go', async () => {
    using place = folder();
    const dir = join(place.path, 'pages');
    mkdirSync(dir);
    const { finding, lines } = await found(dir);
    expect(finding?.says).toContain(dir);
    if (!isInMemory(dir)) expect(lines[0]).toBe(`ok    pages   pages go to ${dir}`);
  });

  test.runIf(hasMemoryFolder)(
    'U2 warns when that is memory, and a troupe can start all the same',
    async () => {
      const { finding, lines } = await found(join(SHM, 'troupe-none', 'pages'));
      expect(finding).toMatchObject({ good: true, says: expect.stringContaining('is memory') });
      expect(lines[0]).toMatch(/^WARN +pages/);
      expect(lines.join('\n')).toMatch(/to mend it: .*memory\.dir[\s\S]*A troupe can start here\./);
    },
  );

  test('U2 warns when nothing can be written there', async () => {
    using place = folder();
    const file = join(place.path, 'file');
    writeFileSync(file, '');
    const { lines } = await found(join(file, 'pages'));
    expect(lines[0]).toMatch(/^WARN +pages .*cannot be written to/);
  });
});
