/**
 * The child's half of a side (see side.mjs): options in, `ready` and at last the report out, a line of JSON each.
 */
import { createInterface } from 'node:readline';

export const options = () => JSON.parse(process.argv[2]);

const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/**
 * Runs a side. `ready`: what the bench should know before it starts. `decode(finished, end)` decodes until `finished()`
 * is true, which is when `end` resolves, and answers `{ samples, verified, ... }`; `verified` says in words what was
 * found wrong with the work, or is true.
 */
export async function drive(ready, decode) {
  let finished = false;
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  tell({ ready });
  await lines.next();
  const end = lines.next().then(() => {
    finished = true;
  });
  const report = await decode(() => finished, end);
  await new Promise((written) => process.stdout.write(`${JSON.stringify({ report })}\n`, written));
  process.stdin.destroy();
}
