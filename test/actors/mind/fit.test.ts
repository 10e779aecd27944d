import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fitting, fitTurns } from '../../../src/actors/mind/fit.js';

const of = (given: Partial<Fitting>): Fitting => ({
  contextTokens: 1000,
  systemTokens: 50,
  turnTokens: [],
  messageTokens: 50,
  ...given,
});

describe('T8 what fits a lane', () => {
  it('T8 what fits goes whole, with a quarter of the context for the reply', () => {
    expect(fitTurns(of({ turnTokens: [300, 300] }))).toEqual({ leave: 0, promptTokens: 700, maxTokens: 250 });
  });

  it('T8 a prompt over three quarters stays whole as long as the wanted reply fits beside it', () => {
    expect(fitTurns(of({ turnTokens: [400, 400], maxTokens: 100 }))).toEqual({
      leave: 0,
      promptTokens: 900,
      maxTokens: 100,
    });
  });

  it('T8 otherwise the oldest turns leave whole until the prompt takes at most three quarters', () => {
    expect(fitTurns(of({ turnTokens: [200, 300, 400], maxTokens: 101 }))).toEqual({
      leave: 2,
      promptTokens: 500,
      maxTokens: 101,
    });
    expect(fitTurns(of({ turnTokens: [250, 300, 350], maxTokens: 101 })).promptTokens).toBe(750);
  });

  it('T8 a longer reply than the room left is cut to it, and no turn leaves for it', () => {
    expect(fitTurns(of({ turnTokens: [300, 300], maxTokens: 5000 }))).toEqual({
      leave: 0,
      promptTokens: 700,
      maxTokens: 300,
    });
  });

  it('T8 system prompt and message over three quarters are refused with the numbers', () => {
    expect(fitTurns(of({ systemTokens: 700, turnTokens: [900] })).promptTokens).toBe(750);
    expect(() => fitTurns(of({ systemTokens: 701, maxTokens: 1 }))).toThrow(
      expect.objectContaining({
        code: 'ContextFull',
        detail: { needTokens: 751, roomTokens: 750, contextTokens: 1000 },
      }),
    );
  });

  it('T8 prompt and reply always fit, no more turns leave than must, and the reply has room', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 4096 }),
        fc.array(fc.integer({ min: 1, max: 1500 }), { maxLength: 12 }),
        fc.tuple(fc.nat(3000), fc.nat(1000)),
        fc.option(fc.integer({ min: 1, max: 9000 }), { nil: undefined }),
        (contextTokens, turnTokens, [systemTokens, messageTokens], maxTokens) => {
          const room = Math.floor((contextTokens * 3) / 4);
          fc.pre(systemTokens + messageTokens <= room);
          const {
            leave,
            promptTokens,
            maxTokens: reply,
          } = fitTurns({ contextTokens, systemTokens, turnTokens, messageTokens, maxTokens });
          const staying = turnTokens.slice(leave).reduce((a, b) => a + b, systemTokens + messageTokens);
          expect(promptTokens).toBe(staying);
          expect(reply).toBeGreaterThanOrEqual(1);
          expect(promptTokens + reply).toBeLessThanOrEqual(contextTokens);
          if (leave > 0) {
            expect(promptTokens).toBeLessThanOrEqual(room);
            expect(promptTokens + (turnTokens[leave - 1] as number)).toBeGreaterThan(room);
          }
        },
      ),
    );
  });
});
