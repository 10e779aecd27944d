/**
 * The platform of a test: all threads in this one, with lines, time and turns from one loop.
 */
import { createBoardMemory } from '../runtime/board.js';
import type { HostData, HostEvents, LineEnd, Platform } from '../runtime/platform.js';
import type { Loader } from '../runtime/thread-actor.js';
import { MAIN_THREAD } from '../runtime/well-known.js';
import type { Batch, WirePort } from '../runtime/wire.js';
import { VirtualClock } from './clock.js';
import { TestHost } from './host.js';
import { type LineConditions, TestLineEnd } from './line.js';
import type { Loop } from './loop.js';

/** Actors that one thread of a test may hold: its board is made anew for each test. */
const BOARD_ACTORS = 128;

export class TestPlatform implements Platform {
  /** Virtual time begins at 0. */
  readonly epochMs = 0;
  readonly clock: VirtualClock;
  readonly load: Loader;
  /** The latest thread of each number. */
  readonly hosts = new Map<number, TestHost>();
  readonly #loop: Loop;
  readonly #lines: LineConditions;

  constructor(loop: Loop, load: Loader, lines: LineConditions) {
    this.#loop = loop;
    this.load = load;
    this.#lines = lines;
    this.clock = new VirtualClock(loop, 'main', MAIN_THREAD);
  }

  createBoard(): SharedArrayBuffer {
    return createBoardMemory(BOARD_ACTORS);
  }

  startHost(data: HostData, events: HostEvents): TestHost {
    const host = new TestHost(this.#loop, this.load, data, events);
    this.hosts.set(data.number, host);
    return host;
  }

  layLine(): readonly [TestLineEnd, TestLineEnd] {
    return TestLineEnd.pair(this.#loop, this.#lines);
  }

  open(end: LineEnd, receive: (batch: Batch) => void): WirePort {
    return (end as TestLineEnd).open(MAIN_THREAD, receive);
  }
}
