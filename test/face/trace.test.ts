import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Troupe } from '../../src/index.js';
import { startTroupe } from './stage.js';

let troupe: Troupe;
beforeAll(async () => {
  troupe = await startTroupe();
});
afterAll(() => troupe.stop());

describe('R6 troupe.trace', () => {
  it('R6 shows the messages of a turn, and ends with the loop over it', async () => {
    const ada = await troupe.mind('ada');
    const trace = troupe.trace({ actor: 'ada' });
    const turn = ada.turn('Good evening.', { maxTokens: 4 });
    const seen: string[] = [];
    for await (const { event, type } of trace) {
      seen.push(`${type} ${event}`);
      if (type === 'done' && event === 'done') break;
    }
    expect(seen).toEqual(expect.arrayContaining(['turn taken', 'turn done', 'done queued']));
    expect(await trace.next()).toEqual({ done: true, value: undefined });
    expect((await turn.result).outcome).toBe('length');
  });

  it('R6 ends when its time is over', async () => {
    const seen = [];
    for await (const event of troupe.trace({ type: 'no such message', ms: 20 })) seen.push(event);
    expect(seen).toEqual([]);
  });

  it.each([
    [{ actor: 'adda' }, 'no actor is named adda; the nearest name is ada'],
    [{ actor: {} }, "options.actor is {}; expected an actor's id, or its name"],
    [{ types: 'turn' }, 'options.types is "turn"; expected type in its place'],
    [{ ms: 0 }, 'options.ms is 0; expected a whole number from 1 to 600000'],
    [{ aSecond: 1e6 }, 'options.aSecond is 1000000; expected a whole number from 1 to 1000'],
  ])('R6 refuses %j', (options, message) => {
    expect(() => troupe.trace(options as never)).toThrow(message);
  });
});
