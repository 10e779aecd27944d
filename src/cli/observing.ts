/**
 * The commands that look at a running troupe, as the command line declares them.
 */
import type { Command } from 'commander';
import type { AttachOptions } from './attach.js';
import type { PeekOptions } from './peek.js';
import type { TopOptions } from './top.js';
import type { TraceOptions } from './trace.js';
import { DIR, processNumber, wholeNumber } from './usage.js';

const PID = ['--pid <number>', 'process of the troupe, where several run', processNumber] as const;
const NAME = ['<name>', 'a mind, or any actor that `troupe top` shows'] as const;

export function addObserving(program: Command): void {
  program
    .command('why')
    .description('what an actor of a running troupe waits for, and who must do what')
    .argument(...NAME)
    .option(...PID)
    .option(...DIR)
    .addHelpText('after', examples('troupe why ada', 'troupe why broker --pid 4711'))
    .action(async (name: string, options: AttachOptions) => {
      const { why } = await import('./why.js');
      process.exitCode = await why(name, options);
    });

  program
    .command('top')
    .description('threads and actors of a running troupe, the busiest first; q leaves')
    .option(...PID)
    .option(...DIR)
    .option('--interval <ms>', 'time between two looks', wholeNumber(50, 60_000), 1_000)
    .option('--once', 'print one table and leave')
    .addHelpText('after', examples('troupe top', 'troupe top --interval 200', 'troupe top --once | head -20'))
    .action(async (options: TopOptions) => {
      const { top } = await import('./top.js');
      process.exitCode = await top(options);
    });

  program
    .command('genes')
    .description('the genes of a running troupe, where each is, and what was moved')
    .option(...PID)
    .option(...DIR)
    .addHelpText('after', examples('troupe genes', 'troupe genes --pid 4711'))
    .action(async (options: AttachOptions) => {
      const { genes } = await import('./genes.js');
      process.exitCode = await genes(options);
    });

  program
    .command('memory')
    .description('the memory budget of a running troupe: what is held where, and what is short')
    .option(...PID)
    .option(...DIR)
    .addHelpText('after', examples('troupe memory', 'troupe memory --pid 4711'))
    .action(async (options: AttachOptions) => {
      const { memory } = await import('./memory.js');
      process.exitCode = await memory(options);
    });

  program
    .command('pages')
    .description('the rooms of a running troupe, and where each is: lane, memory or disk')
    .option(...PID)
    .option(...DIR)
    .addHelpText('after', examples('troupe pages', 'troupe pages --pid 4711'))
    .action(async (options: AttachOptions) => {
      const { pages } = await import('./pages.js');
      process.exitCode = await pages(options);
    });

  program
    .command('peek')
    .description('the messages queued at an actor of a running troupe')
    .argument(...NAME)
    .option('--preview', 'with the shape of each message, texts left out')
    .option(...PID)
    .option(...DIR)
    .addHelpText('after', examples('troupe peek ada', 'troupe peek engine --preview'))
    .action(async (name: string, options: PeekOptions) => {
      const { peek } = await import('./peek.js');
      process.exitCode = await peek(name, options);
    });

  program
    .command('trace')
    .description('messages of a running troupe as they come and go, a line each')
    .argument('[name]', 'a mind, or any actor that `troupe top` shows (default: all)')
    .option('--type <type>', 'messages of this type alone')
    .option('--for <seconds>', 'how long', wholeNumber(1, 60), 10)
    .option('--rate <count>', 'lines in a second; the rest are counted', wholeNumber(1, 200), 50)
    .option('--preview', 'with the size and the shape of each message, texts left out')
    .option(...PID)
    .option(...DIR)
    .addHelpText('after', examples('troupe trace ada', 'troupe trace --type turn --for 30'))
    .action(async (name: string | undefined, options: TraceOptions) => {
      const { trace } = await import('./trace.js');
      process.exitCode = await trace(name, options);
    });
}

const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
