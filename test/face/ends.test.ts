/** A process that stops its troupe ends by itself, whatever was under way, and everything it waited for has settled. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('ends.program.mjs', import.meta.url));

/** Runs the program to its own end; fails on any other exit than 0 and on any word of complaint. */
async function scene(name: string): Promise<Record<string, number>> {
  const { stdout, stderr } = await run(process.execPath, ['--trace-warnings', program, name], {
    timeout: 60_000,
  });
  expect(stderr).toBe('');
  const { results, left } = JSON.parse(stdout) as { results: string[]; left: string[] };
  expect(left).toEqual([]);
  const counts: Record<string, number> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

describe('a troupe that is stopped', { timeout: 90_000 }, () => {
  test('U1 at once', async () => {
    expect(await scene('at once')).toEqual({});
  });

  test('U1 at the end of a scope', async () => {
    expect(await scene('at the end of a scope')).toEqual({ length: 1 });
  });

  test('U1 in the middle of everything', async () => {
    const {
      aborted = 0,
      done = 0,
      SystemStopped = 0,
      ...others
    } = await scene('in the middle of everything');
    // 16 turns and one more; readers just end; what is asked of a troupe that stops is refused.
    expect(aborted).toBeGreaterThanOrEqual(15);
    expect(done).toBeGreaterThanOrEqual(8);
    expect(SystemStopped).toBeGreaterThanOrEqual(1);
    for (const code of Object.keys(others)) {
      expect(['length', 'stop', 'MindLeft', 'ActorEnded', 'AskTimeout']).toContain(code);
    }
  });

  test('U1 by an exit of the process in mid-turn', async () => {
    expect(await scene('by an exit of the process in mid-turn')).toEqual({});
  });

  test('U1 while the engine is away', async () => {
    const {
      aborted = 0,
      done = 0,
      EngineLost = 0,
      length = 0,
      ...others
    } = await scene('while the engine is away');
    expect(aborted + EngineLost + length + done).toBe(22);
    expect(others).toEqual({});
  });

  test('U1 while minds are away', async () => {
    const {
      aborted = 0,
      done = 0,
      ThreadLost = 0,
      length = 0,
      ...others
    } = await scene('while minds are away');
    expect(aborted + ThreadLost + length + done).toBe(22);
    expect(others).toEqual({});
  });

  test('U1 after the control thread was lost', async () => {
    const {
      done = 0,
      ThreadLost = 0,
      aborted = 0,
      length = 0,
      ...others
    } = await scene('after the control thread was lost');
    expect(ThreadLost + aborted + length + done).toBe(22);
    expect(ThreadLost).toBeGreaterThan(8);
    expect(others).toEqual({});
  });

  test('U1 after many faults that nobody looked at', async () => {
    expect(await scene('after many faults that nobody looked at')).toEqual({
      ModelNotFound: 1,
      BadArgument: 2,
      ModelTooLarge: 1,
      NotAModel: 1,
      ContextFull: 1,
      DeadlineExceeded: 1,
      aborted: 1,
      // Its engine was lost, and it went on.
      length: 1,
    });
  });
});
