/**
 * The actor runtime: what a message, an actor and an observer cost, against the bare machine and against peers.
 */
import { acrossThreads } from './actors/across-threads.mjs';
import { flood } from './actors/flood.mjs';
import { idle } from './actors/idle.mjs';
import { oneThread } from './actors/one-thread.mjs';
import { savina } from './actors/savina.mjs';
import { watched } from './actors/watched.mjs';

export const bench = {
  name: 'actors',
  parts: [...oneThread, ...acrossThreads, flood, idle, watched, ...savina],
};
