/**
 * R4: what comes to a thread while it comes back.
 */
import { expect, test } from 'vitest';
import type { Definition } from '../../src/runtime/actor.js';
import { TestSystem } from '../../src/testing/index.js';

const HOST = 2;
/** Steps from the loss of a thread until its actors are back. */
const STEPS = 60;

test('R4 an actor that is stopped while its thread comes back stays stopped', async () => {
  for (let steps = 0; steps < STEPS; steps++) {
    const stage = await TestSystem.start();
    const actor: Definition = { kind: 'old', start: () => ({ receive: () => 'here' }) };
    const id = await stage.spawn({ name: 'old', actor });
    stage.loseThread(HOST);
    for (let step = 0; step < steps; step++) await stage.step();
    await stage.stopActor(id);
    await stage.advance(1_000);
    const { actors } = stage.system.inspect();
    expect(actors.filter(({ name }) => name === 'old')).toEqual([]);
    await stage.spawn({ name: 'old', actor });
    await stage.stop();
  }
});

test('R4 an actor that is spawned while its thread comes back is started once, and those of before once more', async () => {
  const spawned = new Set<boolean>();
  for (let steps = 0; steps < STEPS; steps++) {
    const stage = await TestSystem.start();
    const starts: string[] = [];
    const actor: Definition = {
      kind: 'newcomer',
      start: (ctx) => {
        starts.push(ctx.name);
        return { receive: () => 'here' };
      },
    };
    await stage.spawn({ name: 'old', actor });
    stage.loseThread(HOST);
    for (let step = 0; step < steps; step++) await stage.step();
    const id = await stage.spawn({ name: 'new', actor }).catch(() => undefined);
    await stage.advance(1_000);
    expect(starts.filter((name) => name === 'new').length).toBeLessThanOrEqual(1);
    expect(starts.filter((name) => name === 'old')).toHaveLength(2);
    if (id !== undefined) expect(await stage.ask(id, { type: 'where' })).toBe('here');
    spawned.add(id !== undefined);
    await stage.stop();
  }
  expect(spawned).toEqual(new Set([true, false]));
});
