/**
 * The loop of a test: virtual time, and everything that could happen next. One thing happens at a time; what follows from
 * it in microtasks is over before the next. Time stands still while anything can happen now, and then goes to the next
 * thing that is due.
 */
import { Source } from './source.js';

/** Which of the sources that have something due comes next. */
export type Choose = (ready: readonly Source[]) => Source;

/** Whatever was there first comes first. */
export const inOrder: Choose = (ready) => {
  let first = ready[0] as Source;
  for (const source of ready) if (source.nextOrder < first.nextOrder) first = source;
  return first;
};

/** Turns of the real loop that are asked for at a time: one alone costs several times as much. */
const TURNS_AT_ONCE = 64;
/** Stretches of time that are remembered: of the latest steps that took any. */
const MOST_TAKEN = 64;

export class Loop {
  readonly #choose: Choose;
  readonly #sources = new Set<Source>();
  readonly #ready: Source[] = [];
  #ids = 0;
  #orders = 0;
  /** Milliseconds since the test began. */
  now = 0;
  /** What has happened so far: how many things, and a number made of all of them, in their order. */
  steps = 0;
  trace = 0x811c9dc5;
  /** Called after each step, when what follows from it has happened, with the thread that it happened on. */
  onStep: ((thread: number) => void) | undefined = undefined;
  #stepped: Source | undefined = undefined;
  readonly #taken: { readonly from: number; readonly to: number }[] = [];

  constructor(choose: Choose = inOrder) {
    this.#choose = choose;
  }

  /** `thread`: the one that what comes from there happens on. */
  source(name: string, thread: number): Source {
    const source = new Source(++this.#ids, name, thread, this, () => ++this.#orders);
    this.#sources.add(source);
    return source;
  }

  remove(source: Source): void {
    this.#sources.delete(source);
  }

  /** What waits to happen, now or later. */
  get pending(): Source[] {
    return [...this.#sources].filter(({ size }) => size > 0);
  }

  /** The step that happens takes so long: nothing else happens meanwhile. */
  take(ms: number): void {
    if (this.#taken.push({ from: this.now, to: this.now + ms }) > MOST_TAKEN) this.#taken.shift();
    this.now += ms;
  }

  /** Milliseconds since `then` in which anything could happen. */
  since(then: number): number {
    const taken = this.#taken.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, then)), 0);
    return this.now - then - taken;
  }

  /** Adds to the trace. */
  note(value: number): void {
    this.trace = Math.imul(this.trace ^ value, 0x01000193) >>> 0;
  }

  /**
   * Lets one thing after the other happen until `done` says so, or until nothing is left that is due by `until`.
   * Answers whether `done` did.
   */
  run(done: () => boolean, until: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let over = false;
      const turn = (): void => {
        if (over) return;
        try {
          this.#afterStep();
          const finished = done();
          if (!finished && this.#step(until)) return;
          over = true;
          resolve(finished);
        } catch (error) {
          over = true;
          reject(error);
        }
      };
      // Between two immediates Node runs all microtasks.
      const turns = (): void => {
        if (over) return;
        for (let i = 0; i < TURNS_AT_ONCE; i++) setImmediate(turn);
        setImmediate(turns);
      };
      turns();
    });
  }

  #afterStep(): void {
    if (this.#stepped === undefined) return;
    const { thread } = this.#stepped;
    this.#stepped = undefined;
    this.onStep?.(thread);
  }

  /** False: nothing is due by `until`. */
  #step(until: number): boolean {
    const ready = this.#ready;
    ready.length = 0;
    let next = Number.POSITIVE_INFINITY;
    for (const source of this.#sources) {
      const at = source.nextAt;
      if (at > next && at > this.now) continue;
      if (at <= this.now) ready.push(source);
      else next = at;
    }
    if (ready.length === 0) {
      if (next === Number.POSITIVE_INFINITY || next > until) return false;
      this.now = next;
      for (const source of this.#sources) if (source.nextAt <= next) ready.push(source);
    }
    const chosen = ready.length === 1 ? (ready[0] as Source) : this.#choose(ready);
    this.steps++;
    this.note(chosen.id);
    this.note(Math.round(this.now * 1000));
    this.#stepped = chosen;
    chosen.takeNext()();
    return true;
  }
}
