import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, MindOptions, Troupe, Turn, TurnResult } from '../../src/index.js';
import {
  begun,
  circling,
  ENDLESS,
  folder,
  greedy,
  probesOf,
  running,
  startTroupe,
  until,
  writeLongModel,
} from './stage.js';

const CONTEXT = 8_192;
/** Turns of a mind that floods: more than are served while a few of another are. */
const FLOOD = 300;
let place: ReturnType<typeof folder>;
let troupe: Troupe;
beforeAll(async () => {
  place = folder();
  const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  troupe = await startTroupe({ model, lanes: 2, context: CONTEXT, cells: CONTEXT });
});
afterAll(async () => {
  await troupe.stop();
  place[Symbol.dispose]();
});
afterEach(() => until(() => running(troupe) === 0, 'a troupe at rest'));

let minds = 0;
const newMind = (options: MindOptions = {}): Promise<Mind> =>
  troupe.mind(`mind ${++minds}`, { sampling: greedy, ...options });
/** Takes so many lanes and cells, until it is cancelled. */
async function hold(room: string, cells: number): Promise<Turn & AsyncDisposable> {
  const mind = await newMind({ sampling: circling });
  const turn = mind.turn(ENDLESS, { room, maxTokens: cells - 32 });
  await begun(turn);
  return Object.assign(turn, { [Symbol.asyncDispose]: () => mind.leave() });
}
/** The names of what ends, in the order it does. */
function race(turns: Readonly<Record<string, Turn>>): Promise<string[]> {
  const ends: string[] = [];
  const all = Object.entries(turns).map(([name, turn]) => turn.result.then(() => ends.push(name)));
  return Promise.all(all).then(() => ends);
}
const queued = (name: string) => (): boolean =>
  troupe.inspect().actors.some((actor) => actor.name === `mind/${name}` && actor.waitsFor !== undefined);

describe('what a turn waits for', () => {
  test('T3 a lane, or cells, or its room, each shown once by a probe and on the receipt', async () => {
    using waits = probesOf(troupe, 'turn.waiting');
    await using first = await hold('a', 1_000);
    await using mind = await newMind();
    const big = mind.turn('Good evening.', { maxTokens: 8_000, room: 'big', sampling: circling });
    const behind = mind.turn('And then?', { maxTokens: 2, room: 'big' });
    await until(queued(mind.name), 'a waiting turn');
    await using second = await hold('b', 1_000);
    const lane = mind.turn('Hello.', { maxTokens: 2, room: 'other' });
    await until(() => waits.seen.length >= 4, 'four probes');
    second.cancel();
    expect((await lane.result).outcome).toBe('length');
    first.cancel();
    await begun(big);
    big.cancel();
    await behind.result;
    const seen = waits.seen.filter((probe) => probe.mind === mind.name);
    const of = (room: string): unknown[] =>
      seen.filter((probe) => probe.room === room).map(({ reason }) => reason);
    expect(of('other')).toEqual(['lane']);
    expect(of('big').slice(0, 3).sort()).toEqual(['cells', 'lane', 'room']);
    for (const { since } of seen) expect(since).toBeGreaterThan(0);
    const { waits: waited } = (await big.result).receipt;
    expect(Object.keys(waited).sort()).toEqual(['cells', 'lane']);
    expect(Object.keys((await behind.result).receipt.waits)).toEqual(['room']);
  });

  test('T3 is seen from outside while it waits: the reason, who can end it, and how long is left', async () => {
    await using _first = await hold('a', 3_500);
    await using _second = await hold('b', 3_500);
    await using mind = await newMind();
    const turn = mind.turn('Hello.', { deadline: 60_000, maxTokens: 8 });
    await until(queued(mind.name), 'a waiting turn');
    const report = troupe.inspect();
    const broker = report.actors.find((actor) => actor.name === 'broker');
    const waits = report.actors.find((actor) => actor.id === mind.id)?.waitsFor;
    expect(waits).toMatchObject({ reason: 'lane', on: broker?.id });
    expect(waits?.leftMs).toBeGreaterThan(50_000);
    expect(waits?.leftMs).toBeLessThanOrEqual(60_000);
    expect((await troupe.peek(mind.id)).waits).toMatchObject([{ reason: 'lane', on: broker?.id }]);
    turn.cancel();
    await turn.result;
    await until(() => !queued(mind.name)(), 'no wait');
  });

  test('T3 a turn that gets its lane at once has not waited', async () => {
    using waits = probesOf(troupe, 'turn.waiting');
    await using mind = await newMind();
    const { receipt } = await mind.turn('Hello.', { maxTokens: 2 }).result;
    expect([receipt.waits, waits.seen]).toEqual([{}, []]);
  });
});

describe('a grant', () => {
  test('T1 is of a lane and of cells for prompt and reply: none is given in part', async () => {
    await using first = await hold('a', 5_000);
    await using mind = await newMind({ sampling: circling });
    const big = mind.turn(ENDLESS, { maxTokens: 5_000 });
    await until(queued(mind.name), 'a waiting turn');
    expect(troupe.inspect().lanes.filter((lane) => lane.state === 'running')).toHaveLength(1);
    await using small = await newMind();
    expect((await small.turn('Hello.', { maxTokens: 2 }).result).outcome).toBe('length');
    first.cancel();
    await begun(big);
    big.cancel();
    expect((await big.result).outcome).toBe('aborted');
  });

  test('T1 goes to the lane of its own activity, else to an empty one, else to the idle one least used', async () => {
    const [a, b, c] = await Promise.all([newMind(), newMind(), newMind()]);
    const laneOf = async (mind: Mind): Promise<number | undefined> =>
      (await mind.turn('Hello.', { maxTokens: 2 }).result).receipt.runs[0]?.lane;
    const [first, second] = [await laneOf(a), await laneOf(b)];
    expect(new Set([first, second]).size).toBe(2);
    expect(await laneOf(a)).toBe(first);
    expect(await laneOf(b)).toBe(second);
    expect(await laneOf(c)).toBe(first);
    expect(await laneOf(b)).toBe(second);
    await Promise.all([a, b, c].map((mind) => mind.leave()));
  });
});

describe('the order', () => {
  test('T5 is realtime, interactive, background', async () => {
    const [background, interactive, realtime] = await Promise.all([
      newMind({ class: 'background' }),
      newMind(),
      newMind({ class: 'realtime' }),
    ]);
    await using first = await hold('a', 1_000);
    await using _second = await hold('b', 1_000);
    const options = { maxTokens: 20 };
    const turns: Record<string, Turn> = {};
    for (const [name, mind] of Object.entries({ background, interactive, realtime })) {
      turns[name] = mind.turn('Hello.', options);
      await until(queued(mind.name), 'a waiting turn');
    }
    first.cancel();
    expect(await race(turns)).toEqual(['realtime', 'interactive', 'background']);
    await Promise.all([background, interactive, realtime].map((mind) => mind.leave()));
  });

  test('T5 of one class is by the work done: who has had less goes first', async () => {
    const [fresh, busy, quiet] = await Promise.all([newMind(), newMind(), newMind()]);
    await busy.turn('In the beginning', { maxTokens: 300 }).result;
    await using first = await hold('a', 3_500);
    await using _second = await hold('b', 3_500);
    const turns: Record<string, Turn> = {};
    for (const [name, mind] of Object.entries({ fresh, busy, quiet })) {
      turns[name] = mind.turn('Hello.', { maxTokens: 20 });
      await until(queued(mind.name), 'a waiting turn');
    }
    first.cancel();
    expect(await race(turns)).toEqual(['fresh', 'quiet', 'busy']);
    await Promise.all([fresh, busy, quiet].map((mind) => mind.leave()));
  });

  test('T5 lets no mind that floods keep another waiting: it gets every other turn at least', async () => {
    const [flood, light] = await Promise.all([newMind(), newMind()]);
    await using _first = await hold('a', 5_000);
    let floods = 0;
    const flooding = Array.from({ length: FLOOD }, (_, i) =>
      flood.turn('Hello.', { room: `${i}`, maxTokens: 24 }).result.then((result: TurnResult) => {
        floods++;
        return result;
      }),
    );
    await until(() => floods > 0, 'a flood');
    const between: number[] = [];
    for (let i = 0; i < 6; i++) {
      const before = floods;
      await light.turn('Hello.', { maxTokens: 4 }).result;
      between.push(floods - before);
    }
    expect(floods).toBeLessThan(FLOOD);
    expect(Math.max(...between)).toBeLessThanOrEqual(3);
    await flood.leave();
    await Promise.all(flooding);
    await light.leave();
  });

  test('T1 a thousand turns that wait are all answered in the end', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => newMind()));
    const turns = all.flatMap((mind) =>
      Array.from({ length: 50 }, (_, room) => mind.turn('Hi.', { room: `${room}`, maxTokens: 1 }).result),
    );
    const outcomes = (await Promise.all(turns)).map(({ outcome }) => outcome);
    expect(outcomes.every((outcome) => outcome === 'length' || outcome === 'stop')).toBe(true);
    await Promise.all(all.map((mind) => mind.leave()));
  });
});
