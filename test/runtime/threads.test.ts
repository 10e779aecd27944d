import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { threadOf } from '../../src/runtime/address.js';
import { eventually, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

describe('R1 threads', () => {
  test('R1 an actor runs on the thread that was named, and its address says so', async () => {
    const [a, b, here] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B), stage.spawn(MAIN)]);
    expect([a, b, here].map(threadOf)).toEqual([HOST_A, HOST_B, MAIN]);
    expect([a, b, here].map((id) => stage.report(id)?.thread)).toEqual(['host-a', 'host-b', 'main']);
  });

  test('R1 actors that name no thread share the host threads evenly', async () => {
    const before = [HOST_A, HOST_B].map((thread) => count(thread));
    const ids = await Promise.all(Array.from({ length: 200 }, () => stage.spawn()));
    expect(ids.every((id) => threadOf(id) === HOST_A || threadOf(id) === HOST_B)).toBe(true);
    const after = [HOST_A, HOST_B].map((thread) => count(thread));
    expect(Math.abs((after[0] as number) - (after[1] as number))).toBeLessThanOrEqual(1);
    expect((after[0] as number) + (after[1] as number) - (before[0] as number) - (before[1] as number)).toBe(
      200,
    );
  });

  test('R1 each of a thousand actors on two threads answers for itself', async () => {
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => stage.spawn()));
    await Promise.all(ids.map((id, i) => stage.ask(id, { type: 'note', value: i })));
    const notes = await Promise.all(ids.map((id) => stage.notes(id)));
    expect(notes).toEqual(ids.map((_, i) => [i]));
  });

  test('R1 the main thread goes on while an actor spins, and so do the actors of other threads', async () => {
    const [spinner, other] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    const letGo = await stage.spin(spinner);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    for (let i = 0; i < 10; i++) expect(await stage.ask(other, { type: 'echo', value: i })).toBe(i);
    await eventually(() => ticks > 5);
    clearInterval(timer);
    expect(stage.report(spinner)?.state).toBe('handling');
    await letGo();
  });

  function count(thread: number): number {
    return stage.system
      .inspect()
      .actors.filter(({ id, kind }) => threadOf(id) === thread && kind === 'puppet').length;
  }
});
