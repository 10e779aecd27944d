/**
 * The platform of a real system: worker threads, message ports, and the time of the machine.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { createBoardMemory } from './board.js';
import { realClock } from './clock.js';
import type { Platform } from './platform.js';
import { openPort } from './port.js';
import { importDefinition } from './thread-actor.js';
import { HostWorker } from './worker.js';

export function workerThreads(): Platform {
  const epochMs = Date.now();
  return {
    epochMs,
    clock: realClock(epochMs),
    load: importDefinition,
    // Memory that is given back and taken again comes zeroed, which touches all of it; a board is mostly untouched.
    createBoard: (former) => (former === undefined ? createBoardMemory() : former.wipe()),
    startHost: (data, events) => new HostWorker(data, events),
    layLine: () => {
      const { port1, port2 } = new MessageChannel();
      return [port1, port2];
    },
    open: (end, receive) => openPort(end as MessagePort, receive),
  };
}
