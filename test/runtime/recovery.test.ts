import { describe, expect, test } from 'vitest';
import { ThreadLost } from '../../src/runtime/errors.js';
import type { Mesh, Place } from '../../src/runtime/mesh.js';
import { Recovery } from '../../src/runtime/recovery.js';
import type { Thread } from '../../src/runtime/thread.js';

/** Two hosts and a control thread without the threads: what is done to them is written down. */
function open(
  startWorker: (place: Place) => Promise<void> = () => Promise.resolve(),
  joined = Promise.resolve(),
) {
  const log: string[] = [];
  const place = (name: string): Place =>
    ({
      name,
      up: true,
      joined: true,
      life: 0,
      crashes: [],
      worker: { terminate: () => log.push(`end ${name}`) },
    }) as never;
  const [control, a, b] = [place('control'), place('a'), place('b')] as [Place, Place, Place];
  let ms = 0;
  const main = { probes: { emit: () => {} }, clock: { now: () => ms } } as unknown as Thread;
  const step = async (what: string): Promise<void> => {
    log.push(what);
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  const mesh = {
    main,
    control,
    peersOf: (self: Place) => [control, a, b].filter((peer) => peer !== self && peer.up),
    part: ({ name }: Place) => step(`part ${name}`),
    joinBoth: async ({ name }: Place, peer: Place) => {
      await step(`join ${name} ${peer.name}`);
      await joined;
    },
    join: ({ name }: Place, peer: Place) => step(`join ${name} ${peer.name}`),
    startWorker: async (self: Place) => {
      await step(`start ${self.name}`);
      await startWorker(self);
      self.up = true;
    },
  } as unknown as Mesh;
  const recovery = new Recovery(mesh, {
    reserve: ({ name }) => step(`reserve ${name}`),
    respawn: ({ name }) => step(`respawn ${name}`),
    onGivenUp: ({ name }, reason) => log.push(`give up ${name}: ${reason}`),
  });
  const lose = (self: Place): void => {
    self.up = false;
    recovery.lost(self, 'why');
  };
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  return { log, recovery, lose, settle, control, a, b, pass: (by: number) => (ms += by) };
}

describe('R4 recovery', () => {
  test('R4 parts, starts, joins the control thread, reserves, joins the others, then starts the actors', async () => {
    const { log, lose, settle, a } = open();
    lose(a);
    await settle();
    expect(log).toEqual(['part a', 'start a', 'join a control', 'reserve a', 'join a b', 'respawn a']);
    expect([a.life, a.joined]).toEqual([1, true]);
  });

  test('R4 of two lost at once the second is started when the first is joined, and they are joined once', async () => {
    const { log, lose, settle, a, b } = open();
    lose(a);
    lose(b);
    await settle();
    expect(log.filter((line) => /^(start|join)/.test(line))).toEqual([
      'start a',
      'join a control',
      'start b',
      'join b control',
      'join b a',
    ]);
    expect(log.slice(0, 2)).toEqual(['part a', 'part b']);
  });

  test('R4 a thread that fails to start is tried again, five times in a minute', async () => {
    const { log, lose, settle, a } = open(() =>
      Promise.reject(new ThreadLost({ thread: 'a', reason: 'no' })),
    );
    lose(a);
    await settle();
    expect(log.filter((line) => line === 'start a')).toHaveLength(5);
    expect(log.at(-1)).toBe('give up a: the thread a ended: no; it was lost too often to be started again');
  });

  test('R4 a thread that cannot be joined is ended, and its loss comes next', async () => {
    const joined = Promise.reject(new ThreadLost({ thread: 'a', reason: 'no' }));
    const { log, lose, settle, a } = open(undefined, joined as Promise<never>);
    lose(a);
    await settle();
    expect(log).toEqual(['part a', 'start a', 'join a control', 'end a']);
  });

  test('R4 losses that lie apart are not too many', async () => {
    const { log, lose, settle, a, pass } = open();
    for (let i = 0; i < 20; i++) {
      lose(a);
      await settle();
      pass(15_000);
    }
    expect(log.filter((line) => line === 'respawn a')).toHaveLength(20);
  });

  test('R4 the control thread is not started again', async () => {
    const { log, lose, settle, control } = open();
    lose(control);
    await settle();
    expect(log).toEqual(['part control', 'give up control: why']);
  });

  test('R4 nothing is started once the system stops', async () => {
    const { log, recovery, lose, settle, a, b } = open();
    lose(a);
    const stopped = recovery.stop();
    lose(b);
    await stopped;
    await settle();
    expect(log).toEqual(['part a']);
  });
});
