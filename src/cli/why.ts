/**
 * `troupe why NAME`: what an actor of a running troupe waits for, and who must do what, in one sentence.
 */
import { type AttachOptions, attach } from './attach.js';
import { oneLine } from './text.js';

/** Answers the exit code. */
export async function why(name: string, options: AttachOptions): Promise<number> {
  const client = await attach(options);
  try {
    const { sentence } = await client.ask({ type: 'why', name });
    process.stdout.write(`${oneLine(sentence)}\n`);
  } finally {
    client.close();
  }
  return 0;
}
