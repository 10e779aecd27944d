#!/usr/bin/env node
/**
 * The command `troupe`: reads the command line and runs one command. Commands are loaded when they are called.
 */
import { Command, CommanderError } from 'commander';
import type { ChatOptions } from './chat.js';
import type { DemoOptions } from './demo.js';
import type { DoctorOptions } from './doctor.js';
import { addObserving } from './observing.js';
import { DIR, EXIT_USAGE, explain, inOneLine, wholeNumber } from './usage.js';

const program = inOneLine(new Command('troupe'))
  .description('Many minds in one process, on one native context.')
  .exitOverride()
  .showSuggestionAfterError();

const MODEL = ['--model <file>', 'GGUF model (default: the embedded one)'] as const;

program
  .command('demo')
  .description('a dozen minds on a few lanes answer questions in parallel')
  .option('--minds <count>', 'how many minds', wholeNumber(1, 1000), 12)
  .option('--turns <count>', 'questions to each mind', wholeNumber(1, 100), 3)
  .option('--lanes <count>', 'how many of them decode at one time', wholeNumber(1, 256), 4)
  .option(...MODEL)
  .option(...DIR)
  .option('--seed <number>', 'seed of all replies (default: fresh ones)', wholeNumber(0, 2 ** 32 - 1))
  .action(async (options: DemoOptions) => {
    const { demo } = await import('./demo.js');
    process.exitCode = await demo(options);
  });

program
  .command('chat')
  .description('talk with one mind; reads lines, from a terminal or a pipe')
  .argument('<name>', 'what the mind is called')
  .option('--system <text>', 'its system prompt')
  .option(...MODEL)
  .option(...DIR)
  .action(async (name: string, options: ChatOptions) => {
    const { chat } = await import('./chat.js');
    process.exitCode = await chat(name, options);
  });

addObserving(program);

program
  .command('doctor')
  .description('what is built, model, threads, memory and folders; what is wrong and how to mend it')
  .option(...MODEL)
  .option(...DIR)
  .action(async (options: DoctorOptions) => {
    const { doctor } = await import('./doctor.js');
    process.exitCode = await doctor(options);
  });

// A reader that has seen enough, as in `troupe demo | head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
  else process.exitCode = explain(error);
}
