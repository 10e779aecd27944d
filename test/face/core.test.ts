/** What becomes of a troupe that has lost one of its own for good. */
import { describe, expect, it } from 'vitest';
import { Band } from '../../src/runtime/message.js';
import { actorOf, begun, circling, ENDLESS, probesOf, startTroupe, systemOf, until } from './stage.js';

/** Messages that their receivers cannot handle. */
const CRASHES = {
  engine: { type: 'vacate', claims: null },
  pager: { type: 'put-away', pages: [], deadlineMs: 1n },
} as const;

describe('an actor that all turns need', () => {
  it.each(Object.keys(CRASHES) as (keyof typeof CRASHES)[])(
    'R4 fails the troupe when it has crashed too often, and every turn with it: the %s',
    async (name) => {
      const troupe = await startTroupe();
      using failed = probesOf(troupe, 'system.failed');
      const mind = await troupe.mind('ada', { sampling: circling });
      const turn = mind.turn(ENDLESS, { maxTokens: 7_000 });
      await begun(turn);
      const waiting = mind.turn(ENDLESS, { maxTokens: 7_000 });
      const to = actorOf(troupe, name);
      for (let i = 0; i < 6; i++) systemOf(troupe).tell(to, { ...CRASHES[name] }, { band: Band.reserved });
      await until(() => failed.seen.length > 0, 'the end of it all');
      expect(failed.seen).toMatchObject([{ actor: name }]);
      await Promise.all([turn.result, waiting.result]);
      expect((await mind.turn(ENDLESS).result).error).toMatchObject({ code: 'Escalated' });
      await troupe.stop();
    },
  );
});
