/** Pages that move while others decode: nobody waits for them, and nobody's words change. */
import { afterEach, expect, it } from 'vitest';
import type { Mind, Troupe } from '../../src/index.js';
import { circling, ENDLESS, startTroupe } from './stage.js';

let troupe: Troupe;
afterEach(() => troupe.stop());

/** Replies that the other's moves may fall into: as many as it takes, within reason. */
const REPLIES = 20;
/** Signs of both going on side by side. */
const SIGNS = 6;
/** Pieces that come while one move is under way; a step or two may have been on their way when it began. */
const PIECES = 8;

it.each([
  ['paged out and in', async (mind: Mind) => void [await mind.pageOut(), await mind.pageIn()]],
  ['spilled', async (mind: Mind) => void (await mind.spill())],
])('case-26 P8 a mind decodes on while another is %s again and again', async (_, move) => {
  troupe = await startTroupe({ lanes: 3 });
  const [talker, mover] = [await troupe.mind('talker'), await troupe.mind('mover')];
  await mover.turn('Speak.', { maxTokens: 64, sampling: circling }).result;
  const reply = (room: string) => talker.turn(ENDLESS, { room, maxTokens: 300, sampling: circling });
  const alone = await reply('alone').result;
  let signs = 0;
  for (let i = 0; signs < SIGNS; i++) {
    expect(i).toBeLessThan(REPLIES);
    const turn = reply(`${i}`);
    let pieces = 0;
    let decoding = true;
    const reading = (async () => {
      for await (const _ of turn) pieces++;
      decoding = false;
    })();
    while (decoding) {
      const before = pieces;
      await move(mover);
      // Either the move was over before the reply, or the reply went on before the move was.
      if ((decoding && before > 0) || pieces - before >= PIECES) signs++;
    }
    await reading;
    expect(await turn.result).toMatchObject({ outcome: 'length', text: alone.text });
  }
});
