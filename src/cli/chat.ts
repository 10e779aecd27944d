/**
 * `troupe chat NAME`: a conversation with one mind, line by line; on a terminal or through a pipe.
 */
import { createInterface } from 'node:readline/promises';
import type { Mind } from '../index.js';
import { openTroupe } from './opening.js';
import { harmless } from './text.js';

export interface ChatOptions {
  readonly system?: string;
  readonly model?: string;
  readonly dir?: string;
}

/** Answers the exit code: 0, or 1 when a reply failed and nobody was at a terminal to see it. */
export async function chat(name: string, options: ChatOptions): Promise<number> {
  await using troupe = await openTroupe({ model: options.model, lanes: 1, dir: options.dir });
  const mind = await troupe.mind(name, options.system === undefined ? {} : { system: options.system });
  const { stdin, stdout } = process;
  const attended = stdin.isTTY === true && stdout.isTTY === true;
  const lines = createInterface({ input: stdin, output: attended ? stdout : undefined, prompt: 'you: ' });
  let cancel: (() => void) | undefined;
  const interrupt = (): void => {
    if (cancel !== undefined) cancel();
    else if (attended) {
      stdout.write('\n(Ctrl-D leaves)\n');
      lines.prompt();
    } else lines.close();
  };
  // While readline holds a terminal, Ctrl-C is a key that it tells of; else it is a signal.
  lines.on('SIGINT', interrupt);
  process.on('SIGINT', interrupt);
  if (attended) {
    stdout.write(`${name} listens. Ctrl-C cancels a reply, Ctrl-D leaves.\n`);
    lines.prompt();
  }
  let failed = false;
  for await (const line of lines) {
    if (line.trim() !== '') {
      const ended = await reply(mind, line, attended ? `${name}: ` : '', (stop) => {
        cancel = stop;
      });
      cancel = undefined;
      failed ||= !ended;
    }
    if (attended) lines.prompt();
  }
  process.off('SIGINT', interrupt);
  if (attended) stdout.write('\n');
  return failed && !attended ? 1 : 0;
}

/** Says a line and writes the reply as it comes; false when it failed. */
async function reply(
  mind: Mind,
  line: string,
  prefix: string,
  onStart: (cancel: () => void) => void,
): Promise<boolean> {
  const turn = mind.turn(line);
  onStart(() => turn.cancel());
  process.stdout.write(prefix);
  try {
    for await (const piece of turn) process.stdout.write(harmless(piece.text));
  } catch {
    // The result says why.
  }
  const { outcome, error } = await turn.result;
  process.stdout.write(outcome === 'aborted' ? ' (cancelled)\n' : '\n');
  if (error !== undefined) process.stderr.write(`troupe: ${error.message}\n`);
  return error === undefined;
}
