import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { SupervisorOptions, Troupe } from '../../src/index.js';
import { actorModule, eventually, failure } from '../runtime/stage.js';
import { probesOf, startTroupe } from './stage.js';

let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe({ hosts: 2 });
});
afterAll(() => troupe.stop());

const module = actorModule('puppet');
const backoff = { firstMs: 1, mostMs: 5, jitter: 0 };

const actor = async (name: string) => {
  const found = await troupe.lookup(name);
  if (found === undefined) throw new Error(`${name} is gone`);
  return found;
};
const crash = async (name: string) =>
  failure((await actor(name)).ask({ type: 'crash', why: `${name} fails` }));
const lives = (...names: string[]) =>
  Promise.all(
    names.map(async (name) => (await actor(name)).ask({ type: 'incarnation' }, { deadlineMs: 20_000 })),
  );

describe('R4 supervisors of the user', () => {
  it('R4 one that is told no strategy starts alone again the child that crashed', async () => {
    await using_(
      await troupe.supervisor('plain', { backoff, children: ['a', 'b'].map((name) => ({ name, module })) }),
      async () => {
        await crash('a');
        await eventually(async () => JSON.stringify(await lives('a', 'b')) === '[1,0]');
      },
    );
    expect(await troupe.lookup('a')).toBeUndefined();
  });

  it('R4 rest-for-one starts again those after it, in a tree of actors and supervisors', async () => {
    const options: SupervisorOptions = {
      strategy: 'rest-for-one',
      backoff,
      children: [
        { name: 'first', module },
        { name: 'second', module, args: { given: 1 } },
        { name: 'below', children: [{ name: 'third', module: new URL(module) }] },
      ],
    };
    await using_(await troupe.supervisor('tree', options), async () => {
      const third = await actor('third');
      await crash('second');
      await eventually(async () => JSON.stringify(await lives('first', 'second')) === '[0,1]');
      // A supervisor among them starts its children anew.
      expect(await third.ended).toBe('it is started again with its siblings');
      await eventually(async () => (await troupe.lookup('third'))?.id !== undefined);
      expect(await lives('third')).toEqual([0]);
    });
  });

  it('R4 one that gives up is for the supervisor above it, and its own end is told', async () => {
    const options: SupervisorOptions = {
      intensity: { count: 0, withinMs: 60_000 },
      children: [
        { name: 'under', intensity: { count: 0, withinMs: 60_000 }, children: [{ name: 'leaf', module }] },
      ],
    };
    const top = await troupe.supervisor('top', options);
    await crash('leaf');
    expect(await top.ended).toMatch(
      /^crashed: top gave up: under crashed too often, the last time: under gave up: leaf crashed too often, the last time: leaf fails/,
    );
    expect(await troupe.lookup('leaf')).toBeUndefined();
  });

  it('R4 more children are started while it runs, and it ends with all of them', async () => {
    const grown = await troupe.supervisor('grown', { backoff });
    const child = await grown.start<{ type: 'echo'; value: number }>({ name: 'late', module });
    expect(await child.ask({ type: 'echo', value: 3 })).toBe(3);
    await crash('late');
    expect(await lives('late')).toEqual([1]);
    await grown.stop();
    expect(await child.ended).toBe('its supervisor ended: it was stopped');
    expect(await failure(grown.start({ name: 'later', module }))).toMatchObject({ code: 'ActorEnded' });
  });

  it('R4 of one whose child cannot start nothing is left', async () => {
    const children = [
      { name: 'good', module },
      { name: 'bad', module, args: { failsToStart: 'no' } },
    ];
    expect(await failure(troupe.supervisor('half', { children }))).toMatchObject({
      message: expect.stringContaining('no'),
    });
    expect(await troupe.lookup('good')).toBeUndefined();
    expect(await troupe.lookup('half')).toBeUndefined();
  });

  const child = { name: 'c', module };
  it.each<[string, unknown, RegExp]>([
    ['a/b', {}, /^name is "a\/b"; expected a string without \//],
    ['s', { stratgy: 1 }, /^options.stratgy is 1; expected strategy in its place/],
    ['s', { strategy: 'all' }, /^options.strategy is "all"; expected one-for-one, rest-for-one, one-for-all/],
    [
      's',
      { children: 3 },
      /^options.children is 3; expected an array of actors and supervisors, 4096 at most/,
    ],
    ['s', { children: ['c'] }, /^options.children\[0\] is "c"; expected an object { name, module } or/],
    ['s', { children: [child, { name: 'd' }] }, /^options.children\[1\].module is undefined; expected a URL/],
    [
      's',
      { children: [{ ...child, restart: {} }] },
      /^options.children\[0\].restart is {}; expected only name, module/,
    ],
    ['s', { children: [{ children: [] }] }, /^options.children\[0\].name is undefined; expected a string/],
    [
      's',
      { children: [{ name: 't', children: [{ name: '' }] }] },
      /^options.children\[0\].children\[0\].name is ""/,
    ],
    [
      's',
      { intensity: { count: -1, withinMs: 1 } },
      /^options.intensity.count is -1; expected a whole number/,
    ],
    [
      's',
      { backoff: { firstMs: 2, mostMs: 1, jitter: 0 } },
      /^options.backoff.mostMs is 1; expected milliseconds, firstMs/,
    ],
    ['s', { vital: 'yes' }, /^options.vital is "yes"; expected true or false/],
    ['s', { thread: 1.5 }, /^options.thread is 1.5; expected a whole number from 0/],
  ])('R4 %j with %j is refused', async (name, options, message) => {
    const error = await failure(troupe.supervisor(name, options as never));
    expect(error).toMatchObject({ code: 'BadArgument', message: expect.stringMatching(message) });
  });

  it('R4 a tree that contains itself is refused', async () => {
    const tree: { name: string; children: unknown[] } = { name: 'loop', children: [] };
    tree.children.push(tree);
    const error = await failure(troupe.supervisor('top', { children: [tree] } as never));
    expect(error.message).toMatch(
      /^options(\.children\[0\]){16} is "loop"; expected no more than 16 supervisors/,
    );
  });
});

test('R4 an actor starts others under a supervisor by its name', async () => {
  const group = await troupe.supervisor('group', { backoff });
  const founder = await troupe.actor('founder', new URL('./founder.mjs', import.meta.url));
  const id = await founder.ask({ type: 'found', under: 'group', child: { name: 'founded', module } });
  const founded = await actor('founded');
  expect(founded.id).toBe(id);
  expect(
    await failure(founder.ask({ type: 'found', under: 'grop', child: { name: 'x', module } })),
  ).toMatchObject({
    code: 'NoSuchActor',
  });
  expect(await failure(founder.ask({ type: 'found', under: 'group', child: { name: 'x' } }))).toMatchObject({
    code: 'BadArgument',
    message: expect.stringMatching(/^child.module is undefined; expected a URL/),
  });
  await group.stop();
  expect(await founded.ended).toBe('its supervisor ended: it was stopped');
});

describe('R4 options of an actor of the user', () => {
  it('R4 passivateAfter lets it vanish until its next message', async () => {
    const idle = await troupe.actor('idle', module, { passivateAfter: 20 });
    await idle.ask({ type: 'save', changes: { kept: 1 } });
    await eventually(() => troupe.inspect().actors.find(({ name }) => name === 'idle')?.state === 'passive');
    expect(await idle.ask({ type: 'saved' })).toEqual({ kept: 1 });
  });

  it.each([
    [
      'an actor',
      (own: Troupe) => own.actor('dear', module, { vital: true, restart: { count: 0, withinMs: 1_000 } }),
    ],
    [
      'a supervisor',
      (own: Troupe) =>
        own.supervisor('dear', {
          vital: true,
          intensity: { count: 0, withinMs: 1 },
          children: [{ name: 'leaf', module }],
        }),
    ],
  ])('R4 the troupe fails with %s that is vital to it', async (_, start) => {
    const own = await startTroupe();
    using failed = probesOf(own, 'system.failed');
    const dear = await start(own);
    const leaf = await own.lookup('leaf');
    await failure((leaf ?? (await own.lookup('dear')))?.ask({ type: 'crash' }) as Promise<unknown>);
    expect(await dear.ended).toMatch(/^crashed: /);
    expect(failed.seen).toMatchObject([{ actor: 'dear' }]);
    expect(await failure(own.actor('late', module))).toMatchObject({ code: 'Escalated' });
    await own.stop();
  });

  it.each([
    [{ restart: 3 }, /^options.restart is 3; expected an object { count, withinMs, backoff\? }/],
    [
      { restart: { count: 1, withinMs: 0 } },
      /^options.restart.withinMs is 0; expected milliseconds, more than 0/,
    ],
    [{ passivateAfter: 0 }, /^options.passivateAfter is 0; expected milliseconds, more than 0/],
    [{ passivateMs: 5 }, /^options.passivateMs is 5; expected/],
    [{ vital: 1 }, /^options.vital is 1; expected true or false/],
  ])('R4 %j are refused', async (options, message) => {
    const error = await failure(troupe.actor('wrong', module, options as never));
    expect(error).toMatchObject({ code: 'BadArgument', message: expect.stringMatching(message) });
  });
});

async function using_(held: { stop(): Promise<void> }, test: () => Promise<void>): Promise<void> {
  try {
    await test();
  } finally {
    await held.stop();
  }
}
