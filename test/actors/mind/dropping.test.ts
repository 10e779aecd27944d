/** The oldest turns of a room leave for a turn that has no room for them: when it has run, once, and not otherwise. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NativeModel } from '../../../src/native/addon.js';
import { load, TINY } from '../../native/fixtures.js';
import { type Called, MindStage } from './stage.js';

let model: NativeModel;
beforeAll(() => {
  model = load(TINY);
});
afterAll(() => model.close());

/** Parts that are said before, so many that a turn which wants the whole context has no room for them all. */
const PARTS = 5;
const WHOLE = 5_000;
const error = { code: 'EngineLost', message: '', detail: { reason: 'gone' }, stack: undefined };

let stage: MindStage;
let grants = 0;
beforeEach(async () => {
  stage = await MindStage.open(model.info.id);
  for (let part = 0; part < PARTS; part++) {
    const called = stage.call({ text: `Part ${part}: ${'and it came to pass in those days '.repeat(7)}` });
    await stage.grant(++grants);
    stage.done(grants, { text: 'So it was.' });
    expect((await called.answer).receipt.turnsDropped).toBe(0);
    await stage.broker.hears();
  }
});
afterEach(() => stage.close());

/** The parts that the mind has handed over. */
const saved = async (): Promise<number[]> =>
  [...(await stage.thread.saved(stage.mind)).values()]
    .map((exchange) => (exchange as { user: { content: string } }).user.content)
    .filter((text) => text.startsWith('Part'))
    .map((text) => Number(text[5]));
const ALL = Array.from({ length: PARTS }, (_, part) => part);
const dropped = async ({ answer }: Called): Promise<number> => (await answer).receipt.turnsDropped;
/** Of a turn that fits: the prompt has all that was said. */
async function promptTokens(): Promise<number> {
  const called = stage.call({ text: 'And?', maxTokens: 1 });
  await stage.grant(++grants);
  stage.done(grants, { begun: false, outcome: 'failed', error });
  const { receipt } = await called.answer;
  await stage.broker.hears();
  return receipt.promptTokens;
}

describe('a turn that has no room for the oldest turns', () => {
  it('T8 leaves them where they are when it is cancelled before it is granted', async () => {
    const whole = await promptTokens();
    const called = stage.call({ maxTokens: WHOLE });
    await stage.asked('request');
    stage.reader.tell({ type: 'cancel', turn: called.turn });
    expect(await dropped(called)).toBe(0);
    await stage.broker.hears();
    expect(await saved()).toEqual(ALL);
    expect(await promptTokens()).toBe(whole);
  });

  it('T8 leaves them where they are when it is refused', async () => {
    const whole = await promptTokens();
    const called = stage.call({ maxTokens: WHOLE, genes: [{ gene: 'none', scale: 1 }] });
    const { ticket } = await stage.asked('request');
    stage.broker.tell({ type: 'refused', ticket, error });
    expect(await dropped(called)).toBe(0);
    expect(await saved()).toEqual(ALL);
    expect(await promptTokens()).toBe(whole);
  });

  it('T8 leaves them where they are when its run does not begin', async () => {
    const called = stage.call({ maxTokens: WHOLE });
    await stage.grant(++grants);
    stage.done(grants, { begun: false, outcome: 'failed', error });
    expect(await dropped(called)).toBe(0);
    expect(await saved()).toEqual(ALL);
  });

  it('T8 has them leave when it has run, and says how many', async () => {
    const called = stage.call({ maxTokens: WHOLE });
    const { run } = await stage.grant(++grants);
    expect(run.tokens.length).toBeLessThanOrEqual((512 * 3) / 4);
    expect(await saved()).toEqual(ALL);
    stage.done(grants, { text: 'Yes.' });
    const left = await dropped(called);
    expect(left).toBeGreaterThan(0);
    expect(await saved()).toEqual(ALL.slice(left));
  });

  it('T4 E7 T8 has them leave once, however many runs it has', async () => {
    const called = stage.call({ maxTokens: WHOLE });
    const first = await stage.grant(++grants);
    stage.done(grants, { outcome: 'reclaimed' });
    await stage.grant(++grants);
    stage.done(grants, { begun: false, outcome: 'reclaimed', error });
    const { ticket, run } = await stage.grant(++grants);
    stage.broker.tell({ type: 'revoked', ticket, error });
    await stage.reader.hears();
    stage.reader.tell({ type: 'read', turn: called.turn, grant: grants, text: '', tokens: [] });
    await stage.grant(++grants);
    stage.done(grants, { text: 'Yes.' });
    expect(run.tokens).toEqual(first.run.tokens);
    const left = await dropped(called);
    expect(left).toBeGreaterThan(0);
    expect(await saved()).toEqual(ALL.slice(left));
  });
});
