import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { firstLineOf, onTerminal, TINY, troupe } from './run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const SHOW_CURSOR = '\x1b[?25h';

describe('U2 the command line', () => {
  it.each([
    [['--help'], /demo.*chat.*doctor/s],
    [['demo', '--help'], /--minds.*--turns.*--lanes.*--model.*--seed/s],
    [['chat', '--help'], /--system.*--model/s],
    [['doctor', '--help'], /--model.*--dir/s],
  ])('U2 %j explains itself', async (args, expected) => {
    expect(await troupe(args)).toMatchObject({ code: 0, out: expect.stringMatching(expected), err: '' });
  });

  it.each([
    [['dmeo'], /demo/],
    [['demo', '--lans', '3'], /--lanes/],
    [['demo', '--lanes', '0'], /--lanes.*whole number from 1 to 256/],
    [['demo', '--lanes', '1000'], /--lanes.*whole number from 1 to 256/],
    [['demo', '--minds', 'many'], /--minds.*whole number/],
    [['demo', 'now'], /arguments/],
    [['chat'], /name/],
    [['chat', 'ada', '--model', 'no-such.gguf'], /no-such\.gguf/],
    [['demo', '--model', 'package.json'], /package\.json/],
  ])('U2 %j is refused in one line that says what is right, with exit code 2', async (args, expected) => {
    const { code, out, err } = await troupe(args);
    expect([code, out]).toEqual([2, '']);
    expect(lines(err)).toEqual([expect.stringMatching(expected)]);
  });

  it('U2 without a command it says which there are, with exit code 2', async () => {
    expect(await troupe([])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/demo.*chat.*doctor/s),
    });
  });
});

describe('U2 demo', { timeout: 120_000 }, () => {
  it('U2 a dozen minds answer, each reply whole in a line of its own, and a summary follows', async () => {
    const { code, out, err } = await troupe(['demo', '--turns', '2', '--model', TINY]);
    expect([code, err]).toEqual([0, '']);
    const said = lines(out).filter((line) => /^[a-z]+: /.test(line));
    const minds = new Set(said.map((line) => line.slice(0, line.indexOf(':'))));
    expect([said.length, minds.size]).toEqual([24, 12]);
    const outcomes = lines(out).find((line) => line.startsWith('12 minds, 24 turns in ')) ?? '';
    const counts = [...outcomes.matchAll(/(\d+) (?:stop|length)/g)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(24);
    expect(out).toMatch(/\d+ tokens produced, [\d,]+ a second/);
    expect(out).toMatch(/waits for a lane: mean .*, longest/);
    // A dozen contexts were in four lanes, and two genes in one slot.
    const [, left = '0'] = /(\d+) contexts out of lanes, \d+ back in; /.exec(out) ?? [];
    expect(Number(left)).toBeGreaterThanOrEqual(8);
    expect(out).toMatch(/; [1-9]\d* genes? in, [1-9]\d* out$/m);
    expect(out).not.toContain('\x1b');
  });

  it('U2 more minds than personas have names of their own', async () => {
    const { code, out } = await troupe(['demo', '--minds', '20', '--turns', '1', '--model', TINY]);
    expect(code).toBe(0);
    expect(out).toMatch(/^barnaby-2: /m);
  });

  it('U2 a seed makes the replies of a mind alone the same', async () => {
    const run = async (seed: string) => {
      const { out } = await troupe(['demo', '--minds', '1', '--turns', '2', '--model', TINY, '--seed', seed]);
      return lines(out).filter((line) => line.startsWith('barnaby: '));
    };
    const [first, again, other] = [await run('7'), await run('7'), await run('8')];
    expect(first.length).toBe(2);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('U2 a reader that has seen enough is no failure', async () => {
    const { code, out, err } = await firstLineOf(['demo', '--turns', '20', '--model', TINY]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('12 minds on 4 lanes');
  });

  it('U2 on a terminal a live view shows minds, mailboxes, lanes and tokens a second', async () => {
    const { code, out } = await onTerminal(['demo', '--turns', '1', '--model', TINY], []);
    expect(code).toBe(0);
    expect(out).toMatch(/12 minds on 4 lanes {2}\d+ of 12 turns {2}[\d,]+ tokens\/s/);
    expect(out).toMatch(/lane 3 +(empty|running|idle)/);
    expect(out).toMatch(/mind +gene +doing +mailbox +turns +words/);
    expect(out).toMatch(/moved +\d+ contexts? out of lanes/);
    expect(out).toContain('12 minds, 12 turns in');
    expect(out.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(out.lastIndexOf('\x1b[?25l'));
  });

  it('U2 Ctrl-C ends it at once, gives the cursor back and tells what was done', async () => {
    const { code, out } = await onTerminal(
      ['demo', '--turns', '100', '--minds', '100'],
      [[/speaking/, '\x03']],
    );
    expect(code).toBe(130);
    expect(out).toContain(SHOW_CURSOR);
    expect(out).toMatch(/10,000 turns in .* aborted/);
  });
});

describe('U2 chat', { timeout: 120_000 }, () => {
  it('U2 through a pipe each line gets a reply', async () => {
    const args = ['chat', 'ada', '--system', 'You are Ada.', '--model', TINY];
    const { code, out, err } = await troupe(args, 'Good evening.\n\nWho are you?\n');
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').length).toBeGreaterThanOrEqual(3);
    expect(lines(out).filter((line) => line.startsWith('you:'))).toEqual([]);
  });

  it('U2 a line that does not fit is told and the next one is answered', async () => {
    const { code, out, err } = await troupe(
      ['chat', 'ada', '--model', TINY],
      `${'word '.repeat(5000)}\nHello.\n`,
    );
    expect(code).toBe(1);
    expect(lines(err)).toEqual([expect.stringMatching(/troupe: .*tokens/)]);
    expect(lines(out).length).toBeGreaterThanOrEqual(1);
  });

  it('U2 on a terminal Ctrl-C cancels the reply and Ctrl-D leaves', async () => {
    const talk = () =>
      onTerminal(
        ['chat', 'ada'],
        [
          [/you: /, 'Tell me everything.\r'],
          [/ada: \S/, '\x03'],
          [/you: /, '\x04'],
        ],
      );
    let said = await talk();
    // A reply may be over before the key is there.
    for (let again = 0; again < 10 && !said.out.includes('(cancelled)'); again++) said = await talk();
    expect(said.code).toBe(0);
    expect(said.out).toContain('(cancelled)');
  });
});

describe('U2 doctor', { timeout: 120_000 }, () => {
  it('U2 says what is there', async () => {
    const { code, out, err } = await troupe(['doctor', '--model', TINY]);
    expect([code, err]).toEqual([0, '']);
    for (const about of ['node', 'addon', 'model', 'memory', 'threads', 'folder']) {
      expect(out).toMatch(new RegExp(`^ok +${about}`, 'm'));
    }
    expect(out).toMatch(/threads that decode \d+, that minds live on \d+/);
    expect(out).not.toContain('undefined');
  });

  it('U2 says what is wrong with a model and goes on', async () => {
    const { code, out } = await troupe(['doctor', '--model', join(root, 'package.json')]);
    expect(code).toBe(1);
    expect(out).toMatch(/^WRONG +model[\s\S]*to mend it: /m);
    expect(out).toMatch(/^ok +folder/m);
  });

  it('U2 runs without the addon and says how to build it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-doctor-'));
    try {
      // The guide's test has a folder of its own in there for as long as it runs.
      const built = (path: string) => !basename(path).startsWith('guide-');
      cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter: built });
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const { code, out, err } = await troupe(['doctor'], '', join(folder, 'dist', 'cli', 'troupe.js'));
      expect([code, err]).toEqual([1, '']);
      expect(out).toMatch(/^WRONG +addon[\s\S]*to mend it: npm run build/m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
