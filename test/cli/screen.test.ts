import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openScreen } from '../../src/cli/screen.js';

describe('U2 the screen', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const terminal = (columns = 20, rows = 6) => {
    const written: string[] = [];
    return { written, columns, rows, write: (text: string) => written.push(text) };
  };

  it('U2 paints at most ten times a second, and only what changed', () => {
    const at = terminal();
    let count = 0;
    const screen = openScreen(at, () => [`line ${count++}`]);
    vi.advanceTimersByTime(1000);
    expect(count).toBeLessThanOrEqual(11);
    screen.close();
    const same = terminal();
    const still = openScreen(same, () => ['same']);
    vi.advanceTimersByTime(1000);
    still.close();
    expect(same.written.filter((text) => text.includes('same')).length).toBe(1);
  });

  it('U2 goes back over exactly the lines it painted before', () => {
    const at = terminal();
    let lines = ['a', 'b', 'c'];
    const screen = openScreen(at, () => lines);
    lines = ['d'];
    vi.advanceTimersByTime(100);
    lines = ['e'];
    screen.close();
    expect(at.written).toEqual([
      '\x1b[?25l',
      '\x1b[0Ja\nb\nc\n',
      '\x1b[3A\r\x1b[0Jd\n',
      '\x1b[1A\r\x1b[0Je\n',
      '\x1b[?25h',
    ]);
  });

  it('U2 never fills the last column or the last row, which would scroll', () => {
    const at = terminal(10, 4);
    openScreen(at, () => Array.from({ length: 9 }, () => 'x'.repeat(30))).close();
    const painted = at.written.join('').split('\n').slice(0, -1);
    expect(painted.length).toBe(3);
    expect(painted.at(-1)).toBe(`${'x'.repeat(8)}…`);
  });

  it('U2 gives the cursor back when the process ends without closing it', () => {
    const at = terminal();
    const before = process.listeners('exit');
    const screen = openScreen(at, () => []);
    const [added] = process.listeners('exit').filter((listener) => !before.includes(listener));
    added?.(0);
    expect(at.written.at(-1)).toBe('\x1b[?25h');
    screen.close();
    expect(process.listeners('exit')).toEqual(before);
  });
});
