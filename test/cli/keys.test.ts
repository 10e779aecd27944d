import { EventEmitter } from 'node:events';
import type { ReadStream } from 'node:tty';
import { describe, expect, it } from 'vitest';
import { readKeys } from '../../src/cli/keys.js';

const terminal = () => {
  const did: unknown[] = [];
  const made = Object.assign(new EventEmitter(), {
    setRawMode: (raw: boolean) => did.push(raw),
    resume: () => did.push('resume'),
    pause: () => did.push('pause'),
  });
  return {
    did,
    terminal: made as unknown as ReadStream,
    type: (text: string) => made.emit('data', Buffer.from(text)),
  };
};

describe('U2 keys', () => {
  it('U2 come one by one, and the terminal is given back', () => {
    const at = terminal();
    const keys: string[] = [];
    const giveBack = readKeys(at.terminal, (key) => keys.push(key));
    at.type('aq');
    at.type('\x03');
    giveBack();
    at.type('x');
    expect(keys).toEqual(['a', 'q', '\x03']);
    expect(at.did).toEqual([true, 'resume', 'pause', false]);
  });

  it('U2 the terminal is given back too when the process ends without that', () => {
    const at = terminal();
    const before = process.listeners('exit');
    const giveBack = readKeys(at.terminal, () => {});
    const [added] = process.listeners('exit').filter((listener) => !before.includes(listener));
    added?.(0);
    expect(at.did.at(-1)).toBe(false);
    giveBack();
    expect(process.listeners('exit')).toEqual(before);
  });
});
