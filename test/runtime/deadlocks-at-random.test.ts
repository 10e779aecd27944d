/** Whoever asks whom, whenever, on whatever threads: no ring of waits lasts, and nobody hears of one that is none. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refuse } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import { type Outcome, outcomeOf } from './asker.js';
import { Lab } from './lab.js';

const ways = fc.array(
  fc.record({
    way: fc.array(fc.nat(7), { minLength: 1, maxLength: 5 }),
    atMs: fc.nat(60),
    holdMs: fc.nat(40),
  }),
  { minLength: 1, maxLength: 12 },
);

test('R5 no ring lasts, and who asks in one order is in none', async () => {
  const lab = await Lab.open(4);
  const places = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      lab.spawn(i % 4, (ctx) => ({
        receive: async ({ way, holdMs }: Message & { way: ActorId[]; holdMs: number }) => {
          const [next, ...rest] = way;
          if (next !== undefined)
            return await ctx
              .ask(next, { type: 'm', way: rest, holdMs }, { deadlineMs: 600_000 })
              .catch(refuse);
          await new Promise((resolve) => void lab.clock.after(holdMs, () => resolve(0)));
          return 'there';
        },
      })),
    ),
  );
  await fc.assert(
    fc.asyncProperty(ways, fc.boolean(), async (planned, ordered) => {
      const outcomes: Outcome[] = [];
      for (const { way, atMs, holdMs } of planned) {
        const [first, ...rest] = (ordered ? [...new Set(way)].sort() : way).map((i) => places[i] as ActorId);
        lab.clock.after(atMs, () =>
          outcomes.push(outcomeOf(lab.thread(0), first as ActorId, { type: 'm', way: rest, holdMs })),
        );
      }
      await lab.run(3_000);
      const codes = outcomes.map(({ of }) => String(of).split(':')[0]);
      expect(codes).toHaveLength(planned.length);
      for (const code of codes) expect(ordered ? ['there'] : ['there', 'Deadlock']).toContain(code);
    }),
    { numRuns: 60 },
  );
});
