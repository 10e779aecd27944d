import { expect, test } from 'vitest';
import { culpritOf } from '../../src/runtime/heartbeat.js';
import { Band } from '../../src/runtime/message.js';
import { System } from '../../src/runtime/system.js';
import { DIRECTORY } from '../../src/runtime/well-known.js';
import { sightOf } from './planted.js';
import { actorModule, eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

const FROZEN_MS = 1_000;

const culprit = (...planted: Parameters<typeof sightOf>[0][number][]): string | undefined =>
  culpritOf(sightOf(planted).actors)?.name;

test('R4 who froze a thread: whose handler runs, else who starts, else whose handler awaits the longest', () => {
  const handling = { name: 'runs', state: 'handling' as const, inHand: { type: 'm', forMs: 5 } };
  const starting = { name: 'starts', state: 'starting' as const };
  const awaiting = { name: 'awaits', state: 'awaiting' as const, inHand: { type: 'm', forMs: 9 } };
  const waiting = { name: 'waits to start', state: 'starting' as const, startsInMs: 5 };
  expect(culprit(awaiting, starting, handling)).toBe('runs');
  expect(culprit(waiting, awaiting, starting)).toBe('starts');
  expect(culprit(waiting, { ...awaiting, name: 'later', inHand: { type: 'm', forMs: 1 } }, awaiting)).toBe(
    'awaits',
  );
  expect(culprit(waiting, { name: 'idle' })).toBeUndefined();
});

test('R4 a frozen actor is named, its thread replaced, and the others of the thread are back with their state', async () => {
  const stage = await Stage.open({ frozenMs: FROZEN_MS });
  const [bad, good] = await Promise.all([stage.spawn(HOST_A, {}, 'bad'), stage.spawn(HOST_A, {}, 'good')]);
  await Promise.all([bad, good].map((id) => stage.ask(id, { type: 'save', changes: { id } })));
  const spun = failure(stage.ask(bad, { type: 'spin', ms: 600_000 }, { deadlineMs: 60_000 }));
  expect(await spun).toMatchObject({
    code: 'ThreadLost',
    detail: {
      thread: 'host-a',
      reason: expect.stringMatching(/^it was frozen for \S+ s while bad handled spin$/),
    },
  });
  expect(stage.probed('actor.frozen')).toMatchObject([{ actor: 'bad', thread: 'host-a', message: 'spin' }]);
  await eventually(() => stage.probed('thread.restarted').length === 1);
  expect(await stage.ask(good, { type: 'saved' })).toEqual({ id: good });
  expect(await stage.ask(bad, { type: 'saved' })).toEqual({ id: bad });
  expect(stage.report(bad)?.lastError).toMatch(/^it froze its thread for \S+ s while it handled spin$/);
  expect(stage.report(good)?.lastError).toBeUndefined();
  await stage.close();
});

test('R4 an actor whose start freezes its thread is tried no more than three times; the others are back', async () => {
  const stage = await Stage.open({ frozenMs: FROZEN_MS });
  const [bad, good] = await Promise.all([stage.spawn(HOST_A, {}, 'bad'), stage.spawn(HOST_A, {}, 'good')]);
  await stage.ask(bad, { type: 'save', changes: { freezes: 1 } });
  await failure(stage.ask(bad, { type: 'crash' }));
  await eventually(async () => (await stage.system.lookup('bad')) === undefined);
  expect(stage.probed('actor.lost')).toMatchObject([{ actor: 'bad' }]);
  await eventually(() => stage.ask(good, { type: 'echo', value: true }).catch(() => false));
  expect(stage.probed('system.failed')).toEqual([]);
  await stage.close();
});

test('R4 an actor may freeze its thread twice in ten minutes, not more', async () => {
  const stage = await Stage.open();
  const id = await stage.spawn(HOST_B, {}, 'cold');
  const froze = (): Promise<unknown> =>
    stage.system.ask(DIRECTORY, { type: 'froze', id, reason: 'cold' }, { band: Band.reserved });
  expect([await froze(), await froze(), await froze()]).toEqual([true, true, false]);
  expect(await stage.system.lookup('cold')).toBeUndefined();
  await stage.close();
});

test('R4 a frozen thread that hosts no actors of others is told of and never ended', async () => {
  const system = await System.start([{ name: 'native', host: false }], { frozenMs: 600 });
  const frozen: unknown[] = [];
  system.onProbe((probe) => {
    if (probe.name === 'actor.frozen') frozen.push(probe);
  });
  const module = actorModule('puppet');
  const id = await system.spawn({ name: 'engine', module, args: {}, thread: 2 });
  expect(await system.ask(id, { type: 'spin', ms: 2_000 })).toBe('spun');
  expect(frozen[0]).toMatchObject({ actor: 'engine', thread: 'native', message: 'spin' });
  expect(system.inspect().threads[2]).toMatchObject({ alive: true, restarts: 0 });
  await system.stop();
});

test('R4 threads that idle, or are busy with short handlers, are not frozen', async () => {
  const stage = await Stage.open({ frozenMs: 900 });
  const busy = await stage.spawn(HOST_A);
  await stage.ask(busy, { type: 'busy' });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(stage.probed('actor.frozen')).toEqual([]);
  await stage.close();
});

test('R4 a time after which a thread is frozen that is none is refused', async () => {
  await expect(System.start([], { frozenMs: -1 })).rejects.toMatchObject({ code: 'BadArgument' });
});
