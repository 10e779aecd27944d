/** Fewer cells than lanes x context: lanes compete for them. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Mind, Troupe } from '../../src/index.js';
import { busy, circling, greedy, running, startTroupe, TRAINED, until } from './stage.js';

const PROMPTS = ['Good evening.', 'In the beginning', 'The people of', 'My dear Elizabeth,'];
let alone: string[];
let troupe: Troupe;
beforeAll(async () => {
  await using single = await startTroupe({ lanes: 1 });
  alone = [];
  for (const prompt of PROMPTS) {
    await using mind = await single.mind(prompt, { sampling: greedy });
    alone.push((await mind.turn(prompt, { maxTokens: 200 }).result).text);
  }
  troupe = await startTroupe({ lanes: 4, cells: TRAINED });
});
afterAll(() => troupe.stop());
afterEach(() => until(() => running(troupe) === 0, 'a troupe at rest'));

const everyone = (): Promise<Mind[]> =>
  Promise.all(PROMPTS.map((prompt) => troupe.mind(prompt, { sampling: greedy })));

const waitsFor = (name: string): string | undefined =>
  troupe.inspect().actors.find((actor) => actor.name === `mind/${name}`)?.waitsFor?.reason;

describe('cells for two of four', () => {
  test('case-27 who has none waits, and all say what they would have said alone', async () => {
    const minds = await everyone();
    const holder = await troupe.mind('holder', { class: 'realtime' });
    const held = await busy(holder);
    const turns = minds.map((mind, i) => mind.turn(PROMPTS[i] as string, { maxTokens: 200 }));
    await until(() => PROMPTS.every((name) => waitsFor(name) === 'cells'), 'four that wait for cells');
    for (const turn of held) turn.cancel();
    await holder.leave();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, running(troupe));
    }, 1);
    const results = await Promise.all(turns.map((turn) => turn.result));
    clearInterval(watch);
    expect(results.map(({ text }) => text)).toEqual(alone);
    expect(most).toBe(2);
    for (const { receipt } of results) expect(Object.keys(receipt.waits)).toContain('cells');
    await Promise.all(minds.map((mind) => mind.leave()));
  });

  test('case-27 idle lanes give their cells up, and their minds are prompted again', async () => {
    const minds = await everyone();
    for (let round = 0; round < 3; round++) {
      for (const [i, mind] of minds.entries()) {
        const room = `${round}`;
        const { text, error } = await mind.turn(PROMPTS[i] as string, { maxTokens: 200, room }).result;
        expect([text, error]).toEqual([alone[i], undefined]);
      }
    }
    const held = troupe.inspect().lanes.reduce((sum, lane) => sum + lane.held, 0);
    expect(held).toBeLessThanOrEqual(TRAINED);
    await Promise.all(minds.map((mind) => mind.leave()));
  });

  test('case-27 a turn that needs all of them gets them, one after another', async () => {
    const minds = await Promise.all([0, 1, 2].map((i) => troupe.mind(`m${i}`, { sampling: circling })));
    const results = await Promise.all(
      minds.map((mind) => mind.turn('The people of', { maxTokens: 5_000 }).result),
    );
    for (const { outcome, receipt } of results) {
      expect([outcome, receipt.promptTokens + receipt.maxTokens]).toEqual(['length', TRAINED]);
    }
    expect(new Set(results.map(({ text }) => text)).size).toBe(1);
    await Promise.all(minds.map((mind) => mind.leave()));
  });

  test('case-27 a crowd with turns of all sizes never runs out in mid-turn', async () => {
    const minds = await Promise.all(
      Array.from({ length: 12 }, (_, i) => troupe.mind(`m${i}`, { sampling: circling })),
    );
    const turns = minds.flatMap((mind, i) =>
      [20, 90, 250].map((maxTokens, room) =>
        mind.turn('The people of', { room: `${room}`, maxTokens: maxTokens + i }),
      ),
    );
    for (const turn of turns.filter((_, i) => i % 5 === 0)) turn.cancel();
    const outcomes = (await Promise.all(turns.map((turn) => turn.result))).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome !== 'length')).toEqual(Array(8).fill('aborted'));
    await Promise.all(minds.map((mind) => mind.leave()));
  });
});
