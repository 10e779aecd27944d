/**
 * Lines: as many messages on the way as the window allows and no more, credit that comes back, one answer an ask.
 */
import { LINK_WINDOW } from '../../runtime/defaults.js';
import { type Batch, ENTRY, entryAt, Wire } from '../../runtime/wire.js';
import type { LineTap, TestLineEnd } from '../line.js';
import type { Violations } from './violations.js';

/** Not read where it is used: a test that widens the runtime's window must not widen this one. */
const WINDOW = LINK_WINDOW;

/** One direction, by the end that it goes to. */
interface Direction {
  users: number;
  controls: number;
}

export class LineChecks implements LineTap {
  readonly #violations: Violations;
  /** Messages posted for which no credit has come back. */
  readonly #directions = new Map<TestLineEnd, Direction>();
  readonly #answered = new Set<string>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  posted(to: TestLineEnd, batch: Batch): void {
    const direction = this.#direction(to);
    for (let i = 0; i < batch.length; i += ENTRY) {
      const { kind, ask } = entryAt(batch, i);
      if (kind === Wire.user) direction.users++;
      else if (kind === Wire.control) direction.controls++;
      else if (kind === Wire.answer || kind === Wire.failure) this.#answer(to, ask);
    }
    if (direction.users > WINDOW || direction.controls > WINDOW) {
      const what = `${direction.users} user and ${direction.controls} control messages on the way`;
      this.#violations.add('credit never exceeds the window', what);
    }
  }

  arrived(to: TestLineEnd, batch: Batch): void {
    // Credit that comes in at one end is for what went the other way.
    const direction = this.#direction(to.peer);
    for (let i = 0; i < batch.length; i += ENTRY) {
      const { kind, ask, payload } = entryAt(batch, i);
      if (kind !== Wire.credit) continue;
      direction.users -= ask;
      direction.controls -= payload as number;
    }
  }

  /** Credit comes back in quarters of the window, so less than one may be out. */
  quiet(): void {
    for (const [to, { users, controls }] of this.#directions) {
      const most = Math.max(users, controls);
      const least = Math.min(users, controls);
      if (to.closed || to.peer.closed || (most < WINDOW / 4 && least >= 0)) continue;
      const what = `credit for ${users} user and ${controls} control messages did not come back`;
      this.#violations.add('credit comes back', what);
    }
  }

  #answer(to: TestLineEnd, ask: number): void {
    // Ask numbers of a thread are never used again, in none of its lives.
    const key = `${to.thread} ${ask}`;
    if (this.#answered.has(key)) {
      this.#violations.add('every ask settles once', `ask ${ask} of thread ${to.thread} was answered twice`);
    }
    this.#answered.add(key);
  }

  #direction(to: TestLineEnd): Direction {
    let direction = this.#directions.get(to);
    if (direction === undefined) {
      direction = { users: 0, controls: 0 };
      this.#directions.set(to, direction);
    }
    return direction;
  }
}
