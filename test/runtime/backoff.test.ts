import { afterAll, beforeAll, expect, test } from 'vitest';
import { Lab } from './lab.js';
import { actorModule, eventually, failure, HOST_A, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const slow = { count: 50, withinMs: 60_000, backoff: { firstMs: 60_000, mostMs: 60_000, jitter: 0 } };

const spawn = (name: string, restart: object): Promise<number> =>
  stage.system.spawn({
    name,
    module: actorModule('puppet'),
    args: {},
    thread: HOST_A,
    restart: restart as never,
  });

test('R4 the waits grow from restart to restart, and are the short ones again after a quiet time', async () => {
  const lab = await Lab.open(2);
  const starts: number[] = [];
  let crashing = true;
  await lab.spawn(0, (ctx) => {
    starts.push(ctx.now);
    if (starts.length > 1 && crashing) throw new Error('not yet');
    return {
      receive() {
        throw new Error('told to');
      },
    };
  });
  const [, cell] = lab.thread(0).cells();
  lab.thread(0).router.tell(0, cell?.id as number, { type: 'go' }, 2);
  await lab.run(100);
  crashing = false;
  await lab.run(20_000);
  const crashedAt = lab.clock.ms;
  lab.thread(0).router.tell(0, cell?.id as number, { type: 'go' }, 2);
  await lab.run(20_000);
  const waits = starts.slice(1, -1).map((at, i) => at - (starts[i] as number));
  // Half of each wait is left to chance: each is longer than the shortest that the one before could be.
  expect(waits.length).toBeGreaterThanOrEqual(3);
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(5 * 2 ** i);
    expect(wait).toBeLessThanOrEqual(10 * 2 ** i + 1);
  }
  expect((starts.at(-1) as number) - crashedAt).toBeLessThanOrEqual(11);
});

test('R4 while it waits to be started again its messages are kept, and it shows when that will be', async () => {
  const id = await spawn('patient', { ...slow, backoff: { firstMs: 300, mostMs: 300, jitter: 0 } });
  await failure(stage.ask(id, { type: 'crash', why: 'no' }));
  const kept = stage.ask(id, { type: 'echo', value: 7 });
  await eventually(() => (stage.report(id)?.startsInMs ?? 0) > 0);
  expect(stage.report(id)).toMatchObject({ state: 'starting', restarts: 0, lastError: 'no' });
  expect(await kept).toBe(7);
  expect(stage.report(id)).toMatchObject({ startsInMs: undefined, restarts: 1 });
});

test('R4 one that is stopped while it waits ends at once, and what was asked of it fails', async () => {
  const id = await spawn('stopped', slow);
  await failure(stage.ask(id, { type: 'crash' }));
  const asked = failure(stage.ask(id, { type: 'echo' }, { deadlineMs: 60_000 }));
  await eventually(() => stage.report(id)?.startsInMs !== undefined);
  await stage.system.stopActor(id, 'enough');
  expect(await asked).toMatchObject({ code: 'ActorEnded' });
  expect(stage.report(id)).toBeUndefined();
});

test('R4 an actor that may not restart ends with its first crash', async () => {
  const id = await spawn('brittle', { count: 0, withinMs: 1_000 });
  await failure(stage.ask(id, { type: 'crash' }));
  await eventually(() => stage.report(id) === undefined);
});

test('R4 a policy that is none is refused where the actor is spawned', async () => {
  expect(await failure(spawn('bad', { count: -1, withinMs: 1 }))).toMatchObject({
    code: 'BadArgument',
    message: 'restart.count is -1; expected a whole number, 0 or more',
  });
});
