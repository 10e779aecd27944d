/**
 * Weighs minds: what the process holds after each of them has answered one turn, less what it held before they came.
 * With `passivateAfter`, in ms, they are weighed when all of them have become passive.
 * Prints `{ residentBytes, heapBytes, textBytes }` of them all.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { weigh } from '../harness/heaps.mjs';
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';

const { model, lanes, minds, passivateAfter } = JSON.parse(process.argv[2]);

/** Come and go first, so that code is compiled and buffers have grown that all minds share. */
const WARM_UP = 32;
const AT_ONCE = 64;
/** Threads of the offload pool end when they have had no job for 5 s; they are no part of a mind. */
const POOL_LEAVES_MS = 6_000;

async function answerAll(troupe, name, count) {
  const present = [];
  let textBytes = 0;
  const answerOne = async (i) => {
    const system = `You are the ${name} number ${i}, and you answer briefly.`;
    const message = `Good evening, number ${i}. What do you see?`;
    const mind = await troupe.mind(`${name}-${i}`, { system, sampling: GREEDY });
    const result = await mind.turn(message, { maxTokens: 24 }).result;
    expectTurn(result, { outcomes: ['length', 'stop'] });
    textBytes += Buffer.byteLength(system + message + result.text);
    present.push(mind);
  };
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => answerOne(from + i));
    await Promise.all(some);
  }
  return { present, textBytes };
}

async function allPassive(troupe) {
  const states = () => troupe.inspect().actors.filter(({ kind }) => kind === 'mind');
  while (states().some(({ state }) => state !== 'passive')) await sleep(100);
}

await withTroupe({ model, lanes, passivateAfter }, async (troupe) => {
  const warm = await answerAll(troupe, 'guest', WARM_UP);
  await Promise.all(warm.present.map((mind) => mind.leave()));
  await sleep(POOL_LEAVES_MS);
  const without = await weigh();
  const { present, textBytes } = await answerAll(troupe, 'mind', minds);
  if (passivateAfter !== undefined) await allPassive(troupe);
  const beside = await weigh();
  if (present.length !== minds || beside.isolates !== without.isolates) {
    throw new Error(
      `${present.length} minds answered; ${without.isolates} and ${beside.isolates} isolates were weighed`,
    );
  }
  const residentBytes = beside.residentBytes - without.residentBytes;
  const heapBytes = beside.heapBytes - without.heapBytes;
  process.stdout.write(`${JSON.stringify({ residentBytes, heapBytes, textBytes })}\n`);
});
