import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exited, folder, running } from '../observer/stage.js';
import { firstLineOf, onTerminal, troupe } from './run.js';

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const SHOW_CURSOR = '\x1b[?25h';

describe('U2 commands that look at a running troupe', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-top-'));
  let child: ChildProcess & { pid: number };
  beforeAll(async () => {
    child = await running(dir);
  });
  afterAll(async () => {
    child.stdin?.end();
    await exited(child);
    rmSync(dir, { recursive: true });
  });

  it.each([
    [['why', '--help'], /--pid.*--dir.*Examples:.*troupe why ada/s],
    [['top', '--help'], /--pid.*--interval.*--once.*Examples:.*troupe top --interval 200/s],
    [['peek', '--help'], /--preview.*--pid.*Examples:.*troupe peek engine --preview/s],
    [['trace', '--help'], /--type.*--for.*--rate.*Examples:.*troupe trace ada/s],
    [['demo', '--help'], /--dir/],
    [['chat', '--help'], /--dir/],
  ])('U2 %j explains itself, with examples', async (args, expected) => {
    expect(await troupe(args)).toMatchObject({ code: 0, out: expect.stringMatching(expected), err: '' });
  });

  it.each([
    [['why'], /name/],
    [['why', 'adda'], /no actor is named adda; the nearest name is ada/],
    [['trace', 'adda'], /no actor is named adda; the nearest name is ada/],
    [['peek', 'adda'], /no actor is named adda; the nearest name is ada/],
    [['top', '--pid', 'first'], /--pid.*process's number/],
    [['top', '--interval', '10'], /--interval.*whole number from 50 to 60000/],
  ])('U2 %j is refused in one line that says what is right, with exit code 2', async (args, expected) => {
    const { code, out, err } = await troupe([...args, '--dir', dir]);
    expect([code, out]).toEqual([2, '']);
    expect(lines(err)).toEqual([expect.stringMatching(expected)]);
  });

  it('U2 why says it in one sentence, by either name', async () => {
    const sentence =
      'ada waits 3.2 s for eve (fetch): eve has fetch in hand for 3.1 s with 2 messages queued behind it, awaits something that is no actor (thread host-0), and must end it; the wait of ada ends by its deadline in 1.8 s.\n';
    for (const name of ['ada', 'mind/ada']) {
      expect(await troupe(['why', name, '--dir', dir])).toEqual({ code: 0, out: sentence, err: '' });
    }
  });

  it('U2 peek lists messages without what is in them, and with their shape when asked', async () => {
    const { code, out } = await troupe(['peek', 'ada', '--dir', dir]);
    expect(code).toBe(0);
    expect(lines(out)).toEqual([
      'ada: 4 messages queued',
      'in hand  fetch  from ada     1.5 s old  2.0 KiB',
      'user     note   from nobody  1.5 s old  2.0 KiB',
      'and 3 more',
      'waits 1.0 s for itself (room), 9.0 s left, and 1 time more',
    ]);
    const { out: shown } = await troupe(['peek', 'ada', '--preview', '--dir', dir]);
    expect(shown).toContain('2.0 KiB  note {value: 1}');
  });

  it('U2 trace prints a line for each event, and how many were left out', async () => {
    expect(await troupe(['trace', 'ada', '--dir', dir])).toEqual({
      code: 0,
      out: [
        '   1.500 s  taken    turn            nobody -> ada  user',
        '   1.500 s  failed   turn            actor 9 -> ada  user  in 12 ms  (told to)',
        'and 7 events more, left out\n',
      ].join('\n'),
      err: '',
    });
  });

  it('U2 top prints a table with rates once, without control characters', async () => {
    const { code, out, err } = await troupe(['top', '--once', '--interval', '100', '--dir', dir]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^process \d+ {2}1 thread {2}3 actors {2}[\d,]+ messages\/s$/m);
    expect(out).toMatch(/^thread +actors +queued +msg\/s +state$/m);
    expect(out).toMatch(/^host-0 +3 +2 +[\d.]+ +up$/m);
    expect(out).toMatch(/^actor +thread +queued +msg\/s +oldest +in hand +waits for +trouble$/m);
    expect(out).toMatch(/^eve +host-0 +2 +[\d.]+ +2\.0 s +fetch 3\.1 s$/m);
    expect(out).toMatch(/^ada +host-0 +0 +0 +turn 3\.2 s +eve fetch 3\.2 s$/m);
    expect(out).toMatch(/^wild\[31m +host-0 +0 +0 +2 restarts, no such file$/m);
    expect(out).not.toContain('\x1b');
  });

  it('U2 top without a terminal prints on and on, until nobody reads', async () => {
    const { code, out, err } = await firstLineOf(['top', '--interval', '50', '--dir', dir]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^process \d+/);
  });

  it.each([
    ['q', 'q'],
    ['Ctrl-C', '\x03'],
  ])('U2 top on a terminal is live, and %s leaves it as it was', async (_, key) => {
    const { code, out } = await onTerminal(
      ['top', '--interval', '100', '--dir', dir],
      [[/messages\/s/, key]],
    );
    expect(code).toBe(0);
    expect(out).toContain('q leaves');
    expect(out.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(out.lastIndexOf('\x1b[?25l'));
    expect(out).not.toContain('has ended');
  });

  it('U2 top ends with the process that it looks at', async () => {
    using at = folder();
    const other = await running(at.path);
    const ended = troupe(['top', '--interval', '100', '--dir', at.path]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    other.stdin?.end();
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`process ${other.pid} has ended\n$`));
  });

  it('U2 where several run it asks which, and takes the answer', async () => {
    const other = await running(dir);
    const { code, err } = await troupe(['why', 'ada', '--dir', dir]);
    expect(code).toBe(2);
    const pids = [child.pid, other.pid].sort((a, b) => a - b).join(', ');
    expect(lines(err)).toEqual([
      `troupe: 2 troupes run with their data in ${dir}, of the processes ${pids}; say which with --pid`,
    ]);
    const chosen = await troupe(['why', 'ada', '--dir', dir, '--pid', String(other.pid)]);
    expect([chosen.code, chosen.out]).toEqual([0, expect.stringContaining('ada waits')]);
    other.stdin?.end();
    await exited(other);
  });

  it('U2 where none runs it says so, and how to start one', async () => {
    using at = folder();
    const none = await troupe(['top', '--dir', at.path]);
    expect(none.code).toBe(1);
    expect(lines(none.err)).toEqual([
      `troupe: no troupe runs with its data in ${at.path}; start one, as with: troupe demo (or name its folder with --dir)`,
    ]);
    const gone = await troupe(['why', 'ada', '--dir', dir, '--pid', '1']);
    expect(gone.err).toContain('no troupe of process 1 runs with its data in');
  });

  it('U2 a process whose main thread is busy is told of as such', async () => {
    using at = folder();
    const busy = await running(at.path, 'busy');
    await new Promise((resolve) => setTimeout(resolve, 150));
    const { code, err } = await troupe(['why', 'ada', '--dir', at.path]);
    expect(code).toBe(1);
    expect(lines(err)).toEqual([
      `troupe: process ${busy.pid} (its main thread) did not answer its greeting within 3000 ms`,
    ]);
    busy.kill('SIGKILL');
    await exited(busy);
  });
});
