import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Troupe } from '../../src/index.js';
import { begun, circling, ENDLESS, greedy, running, startTroupe, until } from './stage.js';

let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe({ lanes: 2 });
});
afterAll(() => troupe.stop());

const failure = async (attempt: () => Promise<unknown>): Promise<unknown> => {
  try {
    await attempt();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('the name of a mind', () => {
  test('U1 two minds cannot have one name', async () => {
    await using _ada = await troupe.mind('ada');
    expect(await failure(() => troupe.mind('ada'))).toMatchObject({
      code: 'NameTaken',
      detail: { name: 'ada' },
    });
  });

  test.each([
    ['nothing', ''],
    ['60 bytes', 'x'.repeat(60)],
    ['60 bytes in fewer characters', 'é'.repeat(30)],
    ['a line break', 'a\nb'],
    ['a number', 7],
    ['undefined', undefined],
  ])('U1 it cannot be %s', async (_what, name) => {
    expect(await failure(() => troupe.mind(name as string))).toMatchObject({
      code: 'BadArgument',
      detail: { argument: 'name', value: name },
    });
  });

  test.each(['x'.repeat(59), 'é'.repeat(29), 'mind/ada', ' ', '名前', 'a/b:c'])(
    'U1 it may be %s',
    async (name) => {
      await using mind = await troupe.mind(name);
      expect(mind.name).toBe(name);
    },
  );

  test('U1 it is free as soon as its mind has left', async () => {
    for (let i = 0; i < 100; i++) await (await troupe.mind('once')).leave();
  });

  test('U1 a mind that left and one that took its name are two', async () => {
    const first = await troupe.mind('ada');
    await first.leave();
    await using second = await troupe.mind('ada', { sampling: greedy });
    await first.leave();
    expect(await first.turn('Hello.').result).toMatchObject({ outcome: 'failed' });
    expect(await second.turn('Hello.', { maxTokens: 4 }).result).toMatchObject({ error: undefined });
  });

  test('U1 it is free when its mind could not be made', async () => {
    const system = 'All things that are. '.repeat(200);
    expect(await failure(() => troupe.mind('big', { system }))).toMatchObject({ code: 'ContextFull' });
    await using _mind = await troupe.mind('big');
  });
});

describe('a mind that leaves', () => {
  test('U1 ends its turns as aborted and frees its lanes', async () => {
    const ada = await troupe.mind('ada', { sampling: circling });
    const rooms = ['a', 'b', 'c'];
    const turns = rooms.flatMap((room) => [
      ada.turn(ENDLESS, { room, maxTokens: 400 }),
      ada.turn('And?', { room }),
    ]);
    await begun(turns[0] as (typeof turns)[number]);
    await ada.leave();
    const results = await Promise.all(turns.map((turn) => turn.result));
    expect(results.map(({ outcome, error }) => [outcome, error])).toEqual(
      turns.map(() => ['aborted', undefined]),
    );
    await until(() => running(troupe) === 0, 'a free lane');
  });

  test('U1 ends a turn that was called just before as aborted', async () => {
    const ada = await troupe.mind('ada');
    const turn = ada.turn('Hello.');
    await ada.leave();
    expect(await turn.result).toMatchObject({ outcome: 'aborted', error: undefined, text: '' });
  });

  test('U1 fails a turn that is called after', async () => {
    const ada = await troupe.mind('ada');
    const left = ada.leave();
    expect(await ada.turn('Hello.').result).toMatchObject({
      outcome: 'failed',
      error: { code: 'MindLeft', detail: { name: 'ada' } },
      receipt: { mind: 'ada', room: 'main', outcome: 'failed', runs: [] },
    });
    await left;
  });

  test('U1 may leave twice', async () => {
    const ada = await troupe.mind('ada');
    await Promise.all([ada.leave(), ada.leave()]);
    await ada.leave();
  });

  test('U1 leaves at the end of its scope', async () => {
    {
      await using _ada = await troupe.mind('ada');
    }
    await using _again = await troupe.mind('ada');
  });

  test('U1 leaves nothing behind', async () => {
    const before = troupe.inspect().actors.length;
    const minds = await Promise.all(Array.from({ length: 20 }, (_, i) => troupe.mind(`m${i}`)));
    await Promise.all(minds.map((mind) => mind.turn('Hello.', { maxTokens: 2 }).result));
    await Promise.all(minds.map((mind) => mind.leave()));
    expect(troupe.inspect().actors.length).toBe(before);
  });
});
