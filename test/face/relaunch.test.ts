/** The native context made anew with other numbers, beneath minds that go on. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Troupe, TurnResult } from '../../src/index.js';
import { begun, circling, ENDLESS, greedy, startTroupe } from './stage.js';

let troupe: Troupe;
afterEach(() => troupe.stop());

const say = { maxTokens: 16, sampling: greedy };
/** Three minds speak, something happens, and they speak again. */
async function speak(lanes: number, between: () => Promise<unknown>): Promise<TurnResult[]> {
  troupe = await startTroupe({ lanes });
  const minds = await Promise.all(['ada', 'ben', 'cleo'].map((name) => troupe.mind(name)));
  for (const mind of minds) await mind.turn('Tell me about the sea.', say).result;
  await between();
  const results: TurnResult[] = [];
  for (const mind of minds) results.push(await mind.turn('And the ship?', say).result);
  return results;
}

describe('a relaunch', () => {
  it.each([1, 2, 8])(
    'E7 to %i lanes: minds go on where they were, and read only what is new',
    async (lanes) => {
      const undisturbed = await speak(3, async () => {});
      await troupe.stop();
      const results = await speak(3, async () => {
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
    troupe = await startTroupe({ lanes: 1 });
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
    troupe = await startTroupe({ lanes: 1, context: 256 });
    const ada = await troupe.mind('ada');
    expect((await ada.turn('Hello.', { sampling: greedy }).result).receipt.maxTokens).toBe(64);
    await troupe.relaunch({ context: 512 });
    expect((await ada.turn('Hello.', { sampling: greedy }).result).receipt.maxTokens).toBe(128);
  });

  it.each([
    [{ lanes: 0 }, 'options.lanes'],
    [{ context: 513 }, 'options.context'],
    [{ cells: 100 }, 'options.cells'],
    [{ lane: 3 }, 'options.lane'],
  ])('E7 %j is refused at once', async (options, argument) => {
    troupe = await startTroupe({ lanes: 1 });
    await expect(troupe.relaunch(options as never)).rejects.toMatchObject({
      code: 'BadArgument',
      detail: { argument },
    });
  });
});
