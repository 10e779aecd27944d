import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mind, Troupe, TurnResult } from '../../src/index.js';
import { greedy, startTroupe, until } from './stage.js';

let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe({ lanes: 2, passivateAfter: 100 });
});
afterAll(() => troupe.stop());

const stateOf = (mind: Mind): string | undefined =>
  troupe.inspect().actors.find(({ id }) => id === mind.id)?.state;
const passive = (mind: Mind): Promise<void> => until(() => stateOf(mind) === 'passive', 'a passive mind');
const say = (mind: Mind, text: string): Promise<TurnResult> =>
  mind.turn(text, { maxTokens: 12, sampling: greedy }).result;

test('T8 a mind that was idle is back at its next turn, with what was said, and its lane still holds it', async () => {
  await using mind = await troupe.mind('ada', { system: 'You are Ada.' });
  await say(mind, 'Good evening.');
  await passive(mind);
  const { outcome, receipt } = await say(mind, 'And then?');
  expect(outcome).toBe('length');
  expect(receipt.runs[0]?.reused).toBeGreaterThan(0);
  expect(receipt.runs[0]?.processed).toBeLessThan(20);
});

test('T8 it says what it would have said had it stayed awake', async () => {
  const talk = async (mind: Mind, between: () => Promise<void>): Promise<string[]> => {
    const texts: string[] = [];
    for (const text of ['Good evening.', 'And then?', 'Who was it?']) {
      texts.push((await say(mind, text)).text);
      await between();
    }
    return texts;
  };
  await using sleeper = await troupe.mind('sleeper', { system: 'You are kind.' });
  await using waker = await troupe.mind('waker', { system: 'You are kind.' });
  const slept = await talk(sleeper, () => passive(sleeper));
  expect(await talk(waker, async () => {})).toEqual(slept);
});

test('T8 a passive mind leaves, and its name is free', async () => {
  const mind = await troupe.mind('eve');
  await passive(mind);
  expect(troupe.why('eve').sentence).toContain('is passive');
  await mind.leave();
  await using again = await troupe.mind('eve');
  expect((await say(again, 'Good evening.')).outcome).toBe('length');
});

test('T8 not while a turn waits or runs', async () => {
  await using mind = await troupe.mind('busy');
  const turn = mind.turn('And the LORD said', {
    maxTokens: 400,
    sampling: { temperature: 0, repeatPenalty: 1 },
  });
  const seen = new Set<string | undefined>();
  for await (const _ of turn) seen.add(stateOf(mind));
  expect((await turn.result).outcome).toBe('length');
  expect(seen).not.toContain('passive');
});
