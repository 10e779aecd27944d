/** The commands that look at a running troupe, at one that really runs: in a process of its own, with a model. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exited, folder } from '../observer/stage.js';
import { eventually } from '../runtime/stage.js';
import { TINY, troupe } from './run.js';

const PROGRAM = fileURLToPath(new URL('live.program.mjs', import.meta.url));
const DEMO = fileURLToPath(new URL('../../dist/cli/troupe.js', import.meta.url));

/** A process, once its output matches. */
async function started(args: readonly string[], ready: RegExp): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      out += data;
      if (ready.test(out)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${out}`)));
  });
  return child as unknown as ChildProcess & { pid: number };
}

describe('U2 a troupe that runs, looked at from another process', () => {
  const at = folder();
  const dir = join(at.path, 'data');
  let child: ChildProcess & { pid: number };
  beforeAll(async () => {
    child = await started([PROGRAM, dir], /^ready$/m);
  });
  afterAll(async () => {
    child.stdin?.end();
    await exited(child);
    expect(readdirSync(dir)).toEqual([]);
    at[Symbol.dispose]();
  });
  const look = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await troupe([...args, '--dir', dir]);
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain('secret');
    return out;
  };

  it('R6 its folder and its socket are for its owner only', () => {
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, `${child.pid}.sock`)).mode & 0o777).toBe(0o600);
  });

  it('U2 why says who must do what, of an actor of the user and of a mind', async () => {
    expect(await look('why', 'stuck')).toMatch(
      /^stuck has hold in hand for .+ with 2 messages queued behind it, awaits something that is no actor \(thread host-0\), and must end it\.\n$/,
    );
    // Between two turns of the others the lane is with nobody.
    await eventually(async () =>
      /^ada waits .+ for broker \(lane\): broker has given lane 0 to (bo|cy), and one of them must give back; the wait of ada ends by its deadline in .+\.\n$/.test(
        await look('why', 'ada'),
      ),
    );
  });

  it('U2 peek lists what is queued, and its shape when asked', async () => {
    expect(await look('peek', 'stuck')).toMatch(
      /^stuck: 2 messages queued\nin hand +hold +from thread\/main +.+ old +\S+ B?.*\nuser +note +from thread\/main .*\nuser +note +from thread\/main .*\n/,
    );
    expect(await look('peek', 'stuck', '--preview')).toMatch(
      /note \{value: <8 characters>\}\n.*note \{value: 7\}\n/,
    );
  });

  it('U2 trace shows messages as they come and go', async () => {
    const out = await look('trace', 'lively', '--for', '1', '--preview');
    expect(out).toMatch(
      /^ *\d+\.\d{3} s {2}taken +note +thread\/main -> lively {2}user {2}.*note \{value: <8 characters>\}$/m,
    );
    expect(out).toMatch(/^ *\d+\.\d{3} s {2}done +note +thread\/main -> lively {2}user/m);
  });

  it('U2 top shows threads and actors, and what is the matter with them', async () => {
    const out = await look('top', '--once', '--interval', '200');
    expect(out).toMatch(/^process \d+ {2}4 threads {2}\d+ actors {2}[\d,]+ messages\/s$/m);
    expect(out).toMatch(/^engine +2 +/m);
    expect(out).toMatch(/^stuck +host-0 +2 +[\d.]+ +.+ +hold .+ m?s/m);
    expect(out).toMatch(/^ada +host-0 +0 .*broker lane/m);
  });
});

describe('U2 the demo, looked at from another process', () => {
  it('U2 can be asked why, and ends as it would have', async () => {
    using at = folder();
    const options = '--minds 20 --lanes 1 --turns 100'.split(' ');
    const args = [DEMO, 'demo', ...options, '--model', TINY, '--dir', at.path];
    const child = await started(args, /^[a-z]+: /m);
    const why = await troupe(['why', 'barnaby', '--dir', at.path]);
    expect([why.code, why.err]).toEqual([0, '']);
    expect(why.out).toMatch(/^barnaby .+\.\n$/);
    const top = await troupe(['top', '--once', '--interval', '100', '--dir', at.path]);
    expect(top.out).toMatch(/^engine +2 /m);
    child.kill('SIGINT');
    await exited(child);
    expect(child.exitCode).toBe(130);
    expect((await troupe(['why', 'barnaby', '--dir', at.path])).code).toBe(1);
  });
});
