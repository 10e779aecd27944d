/**
 * A side: node-llama-cpp with so many sequences of one context, greedy, each evaluated without end.
 *
 * A reply of `replyTokens` is followed by the next, its history cleared, as a new conversation would be.
 */
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { drive, options } from '../harness/driver.mjs';
import { Tally } from '../harness/tally.mjs';

const {
  model: modelPath,
  minds,
  context: contextSize,
  rows,
  threads,
  flashAttention,
  prompt,
  replyTokens,
} = options();

const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: threads,
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath, gpuLayers: 0, useMmap: false });
const context = await model.createContext({
  sequences: minds,
  contextSize,
  batchSize: rows,
  threads,
  flashAttention,
  ignoreMemorySafetyChecks: true,
});
const tokens = model.tokenize(prompt, true);
const tally = new Tally(minds);
let finished = () => false;
let wrong = true;

async function reply(sequence, number, begun) {
  while (!finished()) {
    let count = 0;
    for await (const _ of sequence.evaluate(tokens, { temperature: 0 })) {
      tally.add(number);
      begun();
      count++;
      if (count === replyTokens || finished()) break;
    }
    if (count < replyTokens && !finished()) wrong = `a reply ended after ${count} tokens`;
    if (sequence.nextTokenIndex < tokens.length + count - 1) {
      wrong = `a sequence holds ${sequence.nextTokenIndex} tokens after ${tokens.length} and ${count}`;
    }
    await sequence.clearHistory();
  }
}

const sequences = Array.from({ length: minds }, () => context.getSequence());
const replies = [];
await Promise.all(
  sequences.map((sequence, number) => new Promise((begun) => replies.push(reply(sequence, number, begun)))),
);

await drive({ prompt: tokens.length }, async (done) => {
  finished = done;
  await Promise.all(replies);
  return { samples: tally.samples(), verified: wrong };
});
