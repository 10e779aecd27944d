import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Band } from '../../src/runtime/message.js';
import { DIRECTORY } from '../../src/runtime/well-known.js';
import { Lab } from './lab.js';
import { actorModule, eventually, failure, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const PATIENT = { band: Band.reserved, deadlineMs: 60_000 };
const puppet = actorModule('puppet');
const alive = (name: string): boolean => stage.system.inspect().actors.some((actor) => actor.name === name);

describe('names', () => {
  test('a name is one actor, found by it, and free as soon as the actor has been stopped', async () => {
    for (let i = 0; i < 20; i++) {
      const id = await stage.spawn(i % 2 === 0 ? HOST_A : MAIN, {}, 'ada');
      expect(await stage.system.lookup('ada')).toBe(id);
      expect(await failure(stage.spawn(HOST_B, {}, 'ada'))).toMatchObject({
        code: 'NameTaken',
        detail: { name: 'ada' },
      });
      await stage.system.stopActor(id, 'enough');
    }
    expect(await stage.system.lookup('ada')).toBeUndefined();
  });

  test('a name is free as soon as an actor that stopped itself has been seen off', async () => {
    for (let i = 0; i < 20; i++) {
      const id = await stage.spawn(HOST_A, {}, 'bob');
      await stage.ask(id, { type: 'stop' });
      await stage.system.stopActor(id, 'enough').catch(() => {});
    }
  });

  test('of two that want a name at once one gets it', async () => {
    const results = await Promise.allSettled(
      [HOST_A, HOST_B].map((thread) => stage.spawn(thread, {}, 'eve')),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test.each<[string, object]>([
    ['no name', { name: '', module: puppet }],
    ['a name of 65 bytes', { name: 'é'.repeat(33), module: puppet }],
    ['a name that is no text', { name: 5, module: puppet }],
    ['no module', { name: 'x' }],
    ['a thread that is not there', { name: 'x', module: puppet, thread: 4 }],
    ['half a thread', { name: 'x', module: puppet, thread: 1.5 }],
    ['a name that is no Unicode', { name: 'x\ud800', module: puppet }],
  ])('%s is refused', async (_, options) => {
    expect(await failure(stage.system.spawn({ args: {}, ...options } as never))).toMatchObject({
      code: 'BadArgument',
    });
  });

  test.each([Number.NaN, -1, 0, Number.POSITIVE_INFINITY, 'soon'])(
    'a start that may take %s ms is refused by the name of the option',
    async (startMs) => {
      const options = { name: 'x', module: puppet, args: {}, startMs };
      expect(await failure(stage.system.spawn(options as never))).toMatchObject({
        code: 'BadArgument',
        detail: { argument: 'startMs' },
      });
    },
  );

  test('no options at all are refused, and the directory lives on', async () => {
    expect(await failure(stage.system.spawn(undefined as never))).toMatchObject({ code: 'BadArgument' });
    expect(await stage.system.lookup('nobody')).toBeUndefined();
  });

  test('a name with a byte order mark before it is another one, and free again', async () => {
    const id = await stage.spawn(HOST_A, {}, '\ufeffada');
    expect(stage.report(id)?.name).toBe('\ufeffada');
    await stage.system.stopActor(id, 'enough');
    expect(await stage.system.lookup('\ufeffada')).toBeUndefined();
  });

  test('a name of 64 bytes is kept whole', async () => {
    const name = 'é'.repeat(32);
    const id = await stage.spawn(HOST_A, {}, name);
    expect(stage.report(id)?.name).toBe(name);
  });
});

describe('a start that fails', () => {
  const spawn = (options: object): Promise<number> =>
    stage.system.spawn({ name: 'late', module: puppet, args: {}, thread: HOST_A, ...options });

  test.each<[string, object, object]>([
    ['its start throws', { args: { failsToStart: 'no' } }, { code: 'RangeError', message: 'no' }],
    ['it stops itself at once', { args: { endsAtStart: true } }, { code: 'ActorEnded' }],
    ['its module is not there', { module: 'file:///no/such/module.mjs' }, { code: 'Error' }],
    ['its module is no actor', { module: 'data:text/javascript,export default 1' }, { code: 'BadArgument' }],
    [
      'its module throws',
      { module: 'data:text/javascript,throw new RangeError("mod")' },
      { code: 'RangeError' },
    ],
    [
      'its start takes too long',
      { args: { neverStarts: true }, startMs: 30 },
      { code: 'AskTimeout', detail: { actor: 'late', message: 'start', waitedMs: 30 } },
    ],
  ])('%s: the caller hears why, the name is free, and no actor is left', async (_, options, error) => {
    expect(await failure(spawn(options))).toMatchObject(error);
    await eventually(() => !alive('late'));
    const id = await spawn({});
    await stage.system.stopActor(id, 'enough');
  });

  test('a start that comes after all, too late, is stopped', async () => {
    await failure(spawn({ args: { startMs: 60, stopMs: 1 }, startMs: 20 }));
    await eventually(() => !alive('late'));
  });

  test('R3 one that its thread does not get round to is given up, and never lives', async () => {
    const lab = await Lab.open(3);
    const module = 'data:text/javascript,export default { kind: "x", start: () => ({ receive: () => 7 }) }';
    const spawn = (): Promise<unknown> =>
      lab
        .thread(0)
        .router.ask(
          0,
          DIRECTORY,
          { type: 'spawn', options: { name: 'x', module, args: {}, thread: 2, startMs: 1_000 } },
          PATIENT,
        )
        .catch((error) => error.code);
    lab.busy.add(2);
    const given = spawn();
    await lab.run(7_000);
    expect(await given).toBe('AskTimeout');
    lab.busy.delete(2);
    await lab.run();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await lab.run();
    expect(lab.thread(2).cells()).toHaveLength(1);
    const again = spawn();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await lab.run();
    expect(await again).toEqual(expect.any(Number));
  });
});

describe('stopping', () => {
  test('an actor whose stop fails has ended all the same, and a probe tells', async () => {
    const id = await stage.spawn(HOST_A, { failsToStop: true }, 'stubborn');
    await stage.system.stopActor(id, 'enough');
    await eventually(() => stage.probed('actor.stop_failed').length > 0);
    expect(stage.probed('actor.stop_failed')).toMatchObject([
      { actor: 'stubborn', error: 'cannot stop: enough' },
    ]);
    expect(alive('stubborn')).toBe(false);
  });

  test('stopping waits for the actor to stop; meanwhile it is dead to others, and shown as ending', async () => {
    const id = await stage.spawn(HOST_A, { stopMs: 50 });
    const stopped = Promise.all([stage.system.stopActor(id, 'enough'), stage.system.stopActor(id, 'again')]);
    await eventually(() => stage.report(id)?.state === 'ending');
    expect(await failure(stage.ask(id, { type: 'echo' }))).toMatchObject({ code: 'ActorEnded' });
    await stopped;
    expect(stage.report(id)).toBeUndefined();
  });

  test('an actor stopped while it starts is stopped when it has', async () => {
    const name = 'early end';
    const started = failure(stage.spawn(HOST_A, { startMs: 50, stopMs: 1 }, name));
    const report = await eventually(() => stage.system.inspect().actors.find((actor) => actor.name === name));
    const begun = performance.now();
    await stage.system.stopActor(report.id, 'enough');
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await started).toMatchObject({ code: 'ActorEnded' });
    expect(alive(name)).toBe(false);
    expect(await stage.system.lookup(name)).toBeUndefined();
  });
});
