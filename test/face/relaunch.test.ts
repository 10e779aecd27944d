/** The native context made anew with other numbers, beneath minds that go on. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Troupe, TurnResult } from '../../src/index.js';
import { clear, sharedTroupe } from './shared.js';
import { begun, circling, ENDLESS, greedy, startTroupe } from './stage.js';

const say = { maxTokens: 16, sampling: greedy };

describe('a relaunch', () => {
  let troupe: Troupe;
  let undisturbed: TurnResult[];
  beforeAll(async () => {
    troupe = await sharedTroupe(3);
    undisturbed = await speak(async () => {});
    await clear();
  });
  beforeEach(async () => {
    troupe = await sharedTroupe(3);
  });
  afterEach(clear);

  /** Three minds speak, something happens, and they speak again. */
  async function speak(between: () => Promise<unknown>): Promise<TurnResult[]> {
    const minds = await Promise.all(['ada', 'ben', 'cleo'].map((name) => troupe.mind(name)));
    for (const mind of minds) await mind.turn('Tell me about the sea.', say).result;
    await between();
    const results: TurnResult[] = [];
    for (const mind of minds) results.push(await mind.turn('And the ship?', say).result);
    return results;
  }

  it.each([1, 2, 8])(
    'E7 to %i lanes: minds go on where they were, and read only what is new',
    async (lanes) => {
      const results = await speak(async () => {
        expect(await troupe.relaunch({ lanes })).toMatchObject({ lanes, cells: lanes * 512 });
        expect(troupe.inspect().lanes).toHaveLength(lanes);
      });
      for (const [i, { text, error, receipt }] of results.entries()) {
        expect([error, text]).toEqual([undefined, undisturbed[i]?.text]);
        expect(receipt.runs[0]?.processed).toBe(undisturbed[i]?.receipt.runs[0]?.processed);
        expect(receipt.runs[0]?.pagedIn.bytes).toBeGreaterThan(0);
      }
    },
  );

  it('E7 comes before the turns that wait: they say why, and go on after it', async () => {
    await troupe.relaunch({ lanes: 1 });
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    const long = ada.turn(ENDLESS, { maxTokens: 200, sampling: circling });
    await begun(long);
    const relaunch = troupe.relaunch({ lanes: 2 });
    const waiting = ben.turn('Hello.', say);
    expect(await relaunch).toMatchObject({ lanes: 2 });
    const { error, receipt } = await waiting.result;
    expect([error, receipt.waits.relaunching !== undefined]).toEqual([undefined, true]);
    const { runs } = (await long.result).receipt;
    expect(runs.reduce((sum, { produced }) => sum + produced, 0)).toBe(200);
  });

  it('E7 changes how long a conversation may get', async () => {
    await using small = await startTroupe({ lanes: 1, context: 256 });
    const ada = await small.mind('ada');
    expect((await ada.turn('Hello.', { sampling: greedy }).result).receipt.maxTokens).toBe(64);
    await small.relaunch({ context: 512 });
    expect((await ada.turn('Hello.', { sampling: greedy }).result).receipt.maxTokens).toBe(128);
  });

  it.each([
    [{ lanes: 0 }, 'options.lanes'],
    [{ context: 513 }, 'options.context'],
    [{ cells: 100 }, 'options.cells'],
    [{ lane: 3 }, 'options.lane'],
  ])('E7 %j is refused at once', async (options, argument) => {
    await expect(troupe.relaunch(options as never)).rejects.toMatchObject({
      code: 'BadArgument',
      detail: { argument },
    });
  });
});
