import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SpawnOptions } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Strategy } from '../../src/runtime/strategy.js';
import type { SupervisorArgs } from '../../src/runtime/supervision-protocol.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { actorModule, eventually, failure, HOST_A, HOST_B, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const backoff = { firstMs: 1, mostMs: 5, jitter: 0 };

const puppet = (name: string, thread: number, args: object = {}): SpawnOptions => ({
  name,
  module: actorModule('puppet'),
  args,
  thread,
});

/** Three puppets, on two threads. */
const three = (): SpawnOptions[] => [puppet('one', HOST_A), puppet('two', HOST_B), puppet('three', HOST_A)];

const supervise = (args: SupervisorArgs, name = 'sup', more: Partial<SpawnOptions> = {}): SpawnOptions => ({
  name,
  module: SUPERVISOR,
  args,
  thread: HOST_A,
  ...more,
});

const spawn = (
  strategy: Strategy,
  children: readonly SpawnOptions[] = three(),
  more: Partial<SupervisorArgs> = {},
): Promise<ActorId> => stage.system.spawn(supervise({ strategy, children, backoff, ...more }));

const idOf = async (name: string): Promise<ActorId> => (await stage.system.lookup(name)) as ActorId;
const idsOf = (...names: string[]): Promise<ActorId[]> => Promise.all(names.map(idOf));
const ask = async (name: string, type: string): Promise<unknown> =>
  stage.ask(await idOf(name), { type }, { deadlineMs: 20_000 });
const incarnations = (): Promise<unknown[]> =>
  Promise.all(['one', 'two', 'three'].map((name) => ask(name, 'incarnation')));
const crash = async (name: string): Promise<unknown> =>
  failure(stage.ask(await idOf(name), { type: 'crash', why: `${name} fails` }));

describe('R4 a strategy', () => {
  test.each<[Strategy, string, number[]]>([
    ['one-for-one', 'two', [0, 1, 0]],
    ['rest-for-one', 'two', [0, 1, 1]],
    ['rest-for-one', 'one', [1, 1, 1]],
    ['one-for-all', 'three', [1, 1, 1]],
  ])('R4 %s: after a crash of %s those who go with it start again: %j', async (strategy, crashed, after) => {
    await spawn(strategy);
    const ids = await idsOf('one', 'two', 'three');
    await Promise.all(ids.map((id, i) => stage.ask(id, { type: 'save', changes: { i } })));
    await crash(crashed);
    await eventually(async () => JSON.stringify(await incarnations()) === JSON.stringify(after));
    expect(await idsOf('one', 'two', 'three')).toEqual(ids);
    const saved = await Promise.all(ids.map((id) => stage.ask(id, { type: 'saved' })));
    // What they were given at their last start.
    expect(saved).toEqual(after.map((restarts, i) => (restarts > 0 ? { i } : {})));
  });

  test('R4 a sibling that goes with it fails what it has in hand, with the name of who crashed, and keeps its mailbox', async () => {
    await spawn('one-for-all');
    const three = await idOf('three');
    const inHand = failure(stage.ask(three, { type: 'hold' }));
    await eventually(() => stage.report(three)?.state === 'awaiting');
    const queued = stage.ask(three, { type: 'echo', value: 'kept' });
    await crash('one');
    expect(await inHand).toMatchObject({
      code: 'SiblingCrashed',
      detail: { actor: 'three', sibling: 'one', cause: 'one fails' },
    });
    expect(await queued).toBe('kept');
  });

  test('R4 a child that stops by itself is not started again, and goes with no sibling', async () => {
    await spawn('one-for-all');
    await ask('two', 'stop');
    await eventually(async () => (await stage.system.lookup('two')) === undefined);
    await crash('one');
    await eventually(async () => (await ask('three', 'incarnation')) === 1);
    expect(await stage.system.lookup('two')).toBeUndefined();
  });

  test('R4 a child that is added later is the last in order', async () => {
    const sup = await spawn('rest-for-one');
    const four = await stage.ask<ActorId>(sup, { type: 'start', options: puppet('four', HOST_B) });
    await crash('three');
    await eventually(async () => (await stage.ask(four, { type: 'incarnation' })) === 1);
    expect(await incarnations()).toEqual([0, 0, 1]);
  });
});

describe('R4 a group that starts again', () => {
  const slowly = { backoff: { firstMs: 300, mostMs: 300, jitter: 0 } };

  test('R4 does not wait for one of it that is stopped meanwhile', async () => {
    await spawn('one-for-all', three(), slowly);
    const two = await idOf('two');
    await crash('one');
    await eventually(() => stage.report(two)?.state === 'starting');
    await stage.system.stopActor(two, 'test');
    expect(await ask('three', 'incarnation')).toBe(1);
  });

  test('R4 does not wait for one of it that was about to vanish when it was taken down', async () => {
    const [one, two, three_] = three() as [SpawnOptions, SpawnOptions, SpawnOptions];
    const idle = { ...two, args: { stopMs: 800 }, passivateMs: 20 };
    await spawn('one-for-all', [one, idle, three_], slowly);
    const id = await idOf('two');
    // Long past its idle time, and its stop takes longer.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await crash('one');
    expect(stage.report(id)?.state).toBe('idle');
    await eventually(async () => (await ask('three', 'incarnation')) === 1);
  });
});

describe('R4 too many crashes', () => {
  const once = { intensity: { count: 1, withinMs: 60_000 } };

  test('R4 end the children and the supervisor, with a probe that says why', async () => {
    const sup = await spawn('one-for-one', three(), once);
    await crash('one');
    await ask('one', 'incarnation');
    await crash('two');
    await eventually(() => stage.report(sup) === undefined);
    for (const name of ['one', 'two', 'three', 'sup']) {
      await eventually(async () => (await stage.system.lookup(name)) === undefined);
    }
    expect(stage.probed('actor.given_up')).toMatchObject([
      {
        actor: 'sup',
        reason: 'crashed: sup gave up: two crashed too often, the last time: two fails',
      },
    ]);
    expect(await stage.spawn(HOST_A, {}, 'one')).toBeGreaterThan(0);
  });

  test('R4 go up through two levels, to the system', async () => {
    const none = { count: 0, withinMs: 60_000 };
    const inner = supervise(
      { strategy: 'one-for-one', children: three(), intensity: none, backoff },
      'inner',
      {
        thread: HOST_B,
      },
    );
    const outer = { strategy: 'one-for-all' as const, children: [inner], ...once, backoff };
    await stage.system.spawn(supervise(outer, 'outer', { vital: true }));
    let failed: { code: string; message: string } | undefined;
    stage.system.onFailure = (error) => {
      failed = error;
    };
    const before = await idOf('three');
    await crash('one');
    await eventually(async () => ![undefined, before].includes(await stage.system.lookup('three')));
    const bystander = await stage.spawn(HOST_A);
    const pending = failure(stage.ask(bystander, { type: 'hold' }, { deadlineMs: 60_000 }));
    await crash('two');
    expect(await pending).toMatchObject({ code: 'Escalated' });
    expect(failed).toMatchObject({
      code: 'Escalated',
      message: expect.stringMatching(/^outer gave up: .*inner crashed too often.*two fails$/),
    });
    expect(stage.probed('system.failed')).toMatchObject([{ actor: 'outer' }]);
    // This system is of no more use.
    await stage.close();
    stage = await Stage.open();
  });
});

describe('R4 a supervisor', () => {
  test('R4 that is stopped takes its children with it', async () => {
    const sup = await spawn('one-for-one');
    await stage.system.stopActor(sup, 'enough');
    expect(await Promise.all(['one', 'two', 'three'].map((name) => stage.system.lookup(name)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('R4 that cannot start a child ends those it has started, and its start fails with the reason', async () => {
    const children = [...three(), puppet('four', HOST_B, { failsToStart: 'no room' })];
    expect(await failure(spawn('one-for-one', children))).toMatchObject({ message: 'no room' });
    await eventually(async () => (await stage.system.lookup('one')) === undefined);
    expect(stage.system.inspect().actors.filter(({ kind }) => kind === 'puppet')).toEqual([]);
  });

  test('R4 that itself crashes takes its children over, and supervises them', async () => {
    const inner = supervise({ strategy: 'rest-for-one', children: three(), backoff }, 'inner');
    await spawn('one-for-one', [inner]);
    const ids = await idsOf('inner', 'one', 'two', 'three');
    stage.system.tell(ids[0] as number, { type: 'give-up', reason: 'told to' });
    await eventually(() => stage.report(ids[0] as number)?.restarts === 1);
    await crash('two');
    await eventually(async () => (await ask('three', 'incarnation')) === 1);
    expect(await idsOf('inner', 'one', 'two', 'three')).toEqual(ids);
    expect(await incarnations()).toEqual([0, 1, 1]);
  });

  test('R4 that goes with a sibling starts its children anew', async () => {
    const inner = supervise({ strategy: 'one-for-one', children: three(), backoff }, 'inner');
    await spawn('rest-for-one', [puppet('first', HOST_B), inner]);
    const [kept, anew] = [await idOf('inner'), await idOf('three')];
    await crash('first');
    await eventually(async () => ![undefined, anew].includes(await stage.system.lookup('three')));
    expect(await idOf('inner')).toBe(kept);
    expect(await incarnations()).toEqual([0, 0, 0]);
  });

  test('R4 whose thread is lost, with one of its children, supervises them when it is back', async () => {
    await spawn('one-for-all');
    const ids = await idsOf('one', 'two', 'three');
    await Promise.all(ids.map((id, i) => stage.ask(id, { type: 'save', changes: { i } })));
    await stage.system.terminateThread(HOST_A);
    await eventually(() => stage.probed('thread.restarted').length === 1);
    expect(await idsOf('one', 'two', 'three')).toEqual(ids);
    const [one, two] = await incarnations();
    await crash('three');
    await eventually(async () => (await ask('two', 'incarnation')) === (two as number) + 1);
    expect(await ask('one', 'incarnation')).toBe((one as number) + 1);
    expect(await stage.ask(ids[2] as number, { type: 'saved' })).toEqual({ i: 2 });
  });

  test('R4 that does not answer is not waited for: the child starts by itself', async () => {
    const sup = await spawn('one-for-one', [puppet('one', HOST_B)]);
    const busy = await stage.spawn(HOST_A);
    const letGo = await stage.spin(busy);
    await crash('one');
    const one = await idOf('one');
    await eventually(() => stage.report(one)?.waitsFor?.on === sup);
    expect(stage.report(one)?.waitsFor?.reason).toBe('be started again');
    expect(await ask('one', 'incarnation')).toBe(1);
    await letGo();
  });

  test.each<[Partial<SupervisorArgs>, string]>([
    [{ strategy: 'some' as Strategy }, 'strategy is "some"; expected one-for-one, rest-for-one, one-for-all'],
    [{ children: 3 as never }, 'children is 3; expected an array of spawn options, 4096 at most'],
    [{ intensity: { count: -1, withinMs: 1 } }, 'intensity.count is -1; expected a whole number, 0 or more'],
    [{ children: [{ ...puppet('x', 99) }] }, 'thread is 99; expected 0 to 3'],
  ])('R4 is refused when it is asked for what cannot be: %j', async (args, message) => {
    expect(await failure(spawn('one-for-one', [], args))).toMatchObject({ code: 'BadArgument', message });
  });
});
