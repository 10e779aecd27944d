/**
 * A side: llama-server with so many parallel streaming completions, greedy, without its prompt cache.
 *
 * Processor time is the server's alone; what reading the streams costs is not counted.
 */
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { drive, options } from '../harness/driver.mjs';
import { processorTimeUs } from '../harness/processor.mjs';
import { Tally } from '../harness/tally.mjs';
import { ADDRESS, startServer } from './server-process.mjs';

const given = options();
const { minds, prompt } = given;

let wrong = true;
let ending = false;
const {
  port,
  pid,
  end: endServer,
} = await startServer(given, [], (code) => {
  if (!ending) throw new Error(`${given.program} ended with ${code}`);
});

const tally = new Tally(minds, () => processorTimeUs(pid));
await Promise.all(Array.from({ length: minds }, (_, sequence) => complete(sequence)));

await drive({}, async (_, end) => {
  await end;
  ending = true;
  endServer();
  return { samples: tally.samples(), verified: wrong };
});

/** Begins a completion that does not end; resolves when its first token is there. */
function complete(sequence) {
  const body = JSON.stringify({
    prompt,
    n_predict: -1,
    temperature: 0,
    samplers: ['temperature'],
    ignore_eos: true,
    cache_prompt: false,
    stream: true,
    return_tokens: true,
  });
  return new Promise((resolve, reject) => {
    const broken = (error) => {
      if (!ending) wrong = `a stream broke: ${error.message}`;
      reject(error);
    };
    const asked = request({ host: ADDRESS, port, path: '/completion', method: 'POST' }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`llama-server answered ${answer.statusCode}`));
      const lines = createInterface({ input: answer });
      lines.on('error', broken);
      lines.on('line', (line) => {
        if (!line.startsWith('data: ')) return;
        const piece = JSON.parse(line.slice('data: '.length));
        tally.add(sequence, piece.tokens.length);
        if (piece.stop || piece.tokens_predicted !== tally.count(sequence)) wrong = `a piece was ${line}`;
        resolve();
      });
    });
    asked.on('error', broken);
    asked.end(body);
  });
}
