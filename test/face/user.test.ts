/** U1: a user that the system knows by number alone, as containers have them, is one as any other. */
import { lstatSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { labelsIn } from '../../src/observer/sockets.js';
import { defaultDir } from '../../src/options.js';
import { notOwn } from '../../src/pages/own-folder.js';
import { folder } from './stage.js';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo: () => {
    throw new Error('the system has no name for this user');
  },
}));
const { geteuid } = process;
afterEach(() => {
  vi.unstubAllEnvs();
  isUser(geteuid);
});
/** undefined: the system has no numbers for users. */
function isUser(number: (() => number) | undefined): void {
  if (number === undefined) delete process.geteuid;
  else process.geteuid = number;
}

const NAMELESS = 12_345;

test('U1 has a data folder of its own in the temporary one', () => {
  vi.stubEnv('XDG_RUNTIME_DIR', undefined);
  isUser(() => NAMELESS);
  expect(defaultDir()).toBe(join(tmpdir(), `troupe-${NAMELESS}`));
  isUser(undefined);
  expect(defaultDir()).toBe(join(tmpdir(), 'troupe-data'));
});

test('P5 its own is what has its number, and where users have none all is', () => {
  using place = folder();
  const { uid } = lstatSync(place.path);
  isUser(() => uid);
  expect(notOwn(place.path)).toBeUndefined();
  isUser(() => uid + 1);
  expect(notOwn(place.path)).toBe(`it belongs to another user, of number ${uid}`);
  isUser(undefined);
  expect(notOwn(place.path)).toBeUndefined();
});

test('R6 the troupes that it can look at are those of its number', async () => {
  using place = folder();
  const path = join(place.path, '7.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const { uid } = lstatSync(path);
  isUser(() => uid);
  expect(labelsIn(place.path)).toEqual(['7']);
  isUser(() => uid + 1);
  expect(labelsIn(place.path)).toEqual([]);
  server.close();
});
