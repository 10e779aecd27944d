import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ObserverFailed } from '../../src/errors.js';
import { Observer } from '../../src/observer/server.js';
import { labelsIn, livingIn, socketPath } from '../../src/observer/sockets.js';
import { exited, folder, LABEL, observed, running, source } from './stage.js';

/** A process that was killed, and so left its socket. */
async function leaveBehind(dir: string): Promise<string> {
  const child = await running(dir);
  child.kill('SIGKILL');
  await exited(child);
  return String(child.pid);
}

describe('R6 control sockets', () => {
  it('R6 are called after their process, for its owner only, in a folder with nothing else', async () => {
    using at = await observed();
    chmodSync(at.dir, 0o777);
    expect(readdirSync(at.dir)).toEqual([`${LABEL}.sock`]);
    const { mode } = statSync(at.path);
    expect([mode & 0o777, statSync(at.path).isSocket()]).toEqual([0o600, true]);
    expect(await livingIn(at.dir)).toEqual([LABEL]);
  });

  it('R6 are gone when they are closed', async () => {
    using at = await observed();
    at.observer.close();
    expect(existsSync(at.path)).toBe(false);
  });

  it('R6 a second troupe of a process has one of its own', async () => {
    using at = await observed();
    const second = await Observer.open(source(), at.dir);
    expect(labelsIn(at.dir)).toEqual([LABEL, `${LABEL}-2`]);
    second.close();
    expect(labelsIn(at.dir)).toEqual([LABEL]);
  });

  it('R6 of processes that are gone are removed when another opens its own; what else is there stays', async () => {
    using at = folder();
    const gone = await leaveBehind(at.path);
    const other = await running(at.path);
    const others = ['page.bin', 'x.sock', '12.sock.old'];
    for (const name of others) writeFileSync(join(at.path, name), '');
    expect(labelsIn(at.path)).toContain(String(other.pid));
    expect(await livingIn(at.path)).toEqual([String(other.pid)]);
    const observer = await Observer.open(source(), at.path);
    expect(readdirSync(at.path).sort()).toEqual([...others, `${LABEL}.sock`, `${other.pid}.sock`].sort());
    expect(existsSync(join(at.path, `${gone}.sock`))).toBe(false);
    observer.close();
    other.stdin?.end();
    await exited(other);
  });

  it('R6 one that is left from an earlier process of the same number makes room', async () => {
    using at = folder();
    const server = createServer().listen(join(at.path, `${LABEL}.sock`));
    await new Promise((resolve) => server.once('listening', resolve));
    // As a crash leaves it: closed without being removed.
    const path = join(at.path, `${LABEL}.sock`);
    const { renameSync } = await import('node:fs');
    renameSync(path, `${path}.kept`);
    await new Promise((resolve) => server.close(resolve));
    renameSync(`${path}.kept`, path);
    const observer = await Observer.open(source(), at.path);
    expect(readdirSync(at.path)).toEqual([`${LABEL}.sock`]);
    observer.close();
  });

  it('R6 a path that is too long for a socket is refused, with what is wrong', async () => {
    using at = folder();
    const dir = join(at.path, 'd'.repeat(90));
    mkdirSync(dir);
    await expect(Observer.open(source(), dir)).rejects.toThrow(
      /cannot be observed: the path of a socket has at most 103 bytes, and this one 1\d\d; name a shorter folder/,
    );
    expect(readdirSync(dir)).toEqual([]);
    expect(() => socketPath(dir, '1')).toThrow(ObserverFailed);
  });

  it('R6 labels are listed by number; a folder that is not there has none', async () => {
    using at = folder();
    const labels = ['10', '9', '9-2', '100'];
    const servers = labels.map((label) => createServer().listen(join(at.path, `${label}.sock`)));
    await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
    expect(labelsIn(at.path)).toEqual(['9', '9-2', '10', '100']);
    expect(labelsIn(join(at.path, 'none'))).toEqual([]);
    for (const server of servers) server.close();
  });

  it('R6 what is called like a socket of a process that is gone and is none is left alone', async () => {
    using at = folder();
    const gone = await leaveBehind(at.path);
    rmSync(join(at.path, `${gone}.sock`));
    mkdirSync(join(at.path, `${gone}.sock`));
    writeFileSync(join(at.path, `${gone}-2.sock`), 'mine');
    symlinkSync('/nowhere', join(at.path, `${gone}-3.sock`));
    expect(labelsIn(at.path)).toEqual([]);
    const observer = await Observer.open(source(), at.path);
    expect(labelsIn(at.path)).toEqual([LABEL]);
    observer.close();
    expect(readdirSync(at.path).sort()).toEqual([`${gone}-2.sock`, `${gone}-3.sock`, `${gone}.sock`]);
  });
});
