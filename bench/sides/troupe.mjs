/**
 * A side: Troupe by its public face. Every mind answers one turn after another, greedy, each in a room of its own.
 *
 * A piece counts as one token, which it is unless the reader was slow and pieces were joined: never too many. What a
 * receipt says beyond that is added when its turn ends.
 */
import { drive, options } from '../harness/driver.mjs';
import { GREEDY, withTroupe } from '../harness/stage.mjs';
import { Tally } from '../harness/tally.mjs';

const { model, minds, threads, context, cells, message, replyTokens } = options();

const tally = new Tally(minds);
let finished = () => false;
let wrong = true;
let prompt = 0;
const running = new Set();

async function talk(mind, number, begun) {
  for (let reply = 0; !finished(); reply++) {
    const turn = mind.turn(message, { room: `room-${reply}`, maxTokens: replyTokens });
    running.add(turn);
    let pieces = 0;
    for await (const _ of turn) {
      tally.add(number);
      pieces++;
      begun();
    }
    running.delete(turn);
    const { outcome, receipt, error } = await turn.result;
    const produced = receipt.runs.reduce((sum, run) => sum + run.produced, 0);
    prompt = receipt.promptTokens;
    if (outcome !== 'length' && !(outcome === 'aborted' && finished())) {
      wrong = `a turn ended ${outcome} after ${produced} tokens: ${error?.message}`;
    }
    if (pieces > produced) wrong = `a turn gave ${pieces} pieces of ${produced} tokens`;
    tally.add(number, produced - pieces);
  }
}

await withTroupe({ model, lanes: minds, context, cells, threads }, async (troupe) => {
  const talks = [];
  for (let number = 0; number < minds; number++) {
    const mind = await troupe.mind(`mind-${number}`, { sampling: GREEDY });
    await new Promise((begun, failed) => {
      const talking = talk(mind, number, begun);
      talking.catch(failed);
      talks.push(talking);
    });
  }
  await drive({}, async (done, end) => {
    finished = done;
    await end;
    for (const turn of running) turn.cancel();
    await Promise.all(talks);
    const { produced } = troupe.inspect().tokens;
    if (Math.abs(produced - tally.tokens) > minds)
      wrong = `${tally.tokens} tokens counted, ${produced} produced`;
    return { samples: tally.samples(), verified: wrong, prompt };
  });
});
