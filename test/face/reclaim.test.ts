/** Turns whose lanes are taken back while they run, and that go on later: nobody who reads them sees where. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Troupe, Turn, TurnResult } from '../../src/index.js';
import { clear, sharedTroupe } from './shared.js';
import { begun, circling, ENDLESS, folder, until, writeLongModel } from './stage.js';

const CONTEXT = 8_192;
let place: ReturnType<typeof folder>;
let model: string;
/** How an endless reply begins. */
let circle: string;
beforeAll(async () => {
  place = folder();
  model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  await start();
  const ada = await troupe.mind('ada', { sampling: circling });
  circle = (await ada.turn(ENDLESS, { maxTokens: 600 }).result).text;
  await clear();
});
afterAll(() => place[Symbol.dispose]());

let troupe: Troupe;
const start = async (): Promise<void> => {
  troupe = await sharedTroupe(1, { model, context: CONTEXT, hosts: 2 });
};
beforeEach(start);
afterEach(clear);

const endless = async (name: string): Promise<Turn> => {
  const mind = await troupe.mind(name, { class: 'background', sampling: circling });
  return mind.turn(ENDLESS, { maxTokens: 7_000 });
};
/** Waits until a reader has more of a turn, then ends it. */
async function more(turn: Turn): Promise<TurnResult> {
  const had = turn.text.length;
  await until(() => turn.text.length > had + 500, 'a turn that goes on');
  turn.cancel();
  const result = await turn.result;
  expect(result.text.slice(0, circle.length)).toBe(circle.slice(0, result.text.length));
  return result;
}
const outcomes = ({ receipt }: TurnResult) => receipt.runs.map(({ outcome }) => outcome);

describe('a relaunch', () => {
  test('E7 T4 takes the lanes of turns that run; these go on from their pages without a seam', async () => {
    const turn = await endless('ada');
    await begun(turn);
    expect(await troupe.relaunch({ lanes: 2 })).toMatchObject({ lanes: 2 });
    const result = await more(turn);
    expect(outcomes(result)).toEqual(['reclaimed', 'aborted']);
    const { runs, waits } = result.receipt;
    expect([runs[1]?.processed, waits.relaunching !== undefined]).toEqual([0, true]);
    expect(runs[1]?.pagedIn.bytes).toBeGreaterThan(0);
  });

  test('T3 that a turn itself waits for ends its run, and the turn finishes', async () => {
    const ada = await troupe.mind('ada', { sampling: circling });
    const turn = ada.turn(ENDLESS, { maxTokens: 1_500 });
    let [relaunched, read] = [0, ''];
    for await (const { text } of turn) {
      read += text;
      if (relaunched < 2) await troupe.relaunch({ lanes: 1 + (relaunched++ % 2) });
    }
    const result = await turn.result;
    expect([result.outcome, result.text]).toEqual(['length', read]);
    expect(outcomes(result)).toEqual(['reclaimed', 'reclaimed', 'length']);
    expect(result.receipt.runs.reduce((sum, { produced }) => sum + produced, 0)).toBe(1_500);
    expect(read.startsWith(circle)).toBe(true);
  });

  test("T4 ends a turn that was called so: 'end', with what there is, which stays in the transcript", async () => {
    const ada = await troupe.mind('ada', { sampling: circling });
    const turn = ada.turn(ENDLESS, { maxTokens: 7_000, onReclaim: 'end' });
    await begun(turn);
    await troupe.relaunch({ lanes: 2 });
    const { outcome, error, text, receipt } = await turn.result;
    expect([outcome, error, receipt.outcome]).toEqual(['reclaimed', undefined, 'reclaimed']);
    expect(circle.startsWith(text.slice(0, circle.length))).toBe(true);
    const { receipt: next } = await ada.turn('And?', { maxTokens: 1 }).result;
    expect(next.promptTokens).toBeGreaterThan(receipt.promptTokens + (receipt.runs[0]?.produced ?? 0));
  });
});

describe('a turn of a higher class', () => {
  test('T5 gets the lane of a lower one, which goes on after it', async () => {
    const background = await endless('ada');
    await begun(background);
    const ben = await troupe.mind('ben', { class: 'realtime', sampling: circling });
    expect((await ben.turn('Now!', { maxTokens: 3 }).result).error).toBeUndefined();
    const result = await more(background);
    expect(outcomes(result)).toEqual(['reclaimed', 'aborted']);
  });
});
