/**
 * Across threads: ask against comlink, tell against raw messages.
 */
import { comparison } from './comparison.mjs';

const ask = (inFlight, bar) =>
  comparison({
    figure: `ask-comlink-${inFlight}`,
    bar,
    sides: ['sides/actors/ask#troupe', 'peers/comlink#ask'],
    options: { inFlight },
    of: 'asks',
  });

export const acrossThreads = [
  ask(256, 10),
  ask(1, 1.4),
  comparison({
    figure: 'tell-raw',
    bar: 1.5,
    sides: ['sides/actors/across#troupe', 'sides/actors/across#raw'],
    of: 'messages',
  }),
];
