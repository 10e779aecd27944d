import { describe, expect, test } from 'vitest';
import type { Cell } from '../../src/runtime/cell.js';
import { BURST_MESSAGES, SLICE_MS, WORK_AFTER_SLICES } from '../../src/runtime/defaults.js';
import { Dispatcher } from '../../src/runtime/dispatcher.js';
import { LabClock } from './lab.js';

/** A cell that has `left` messages, each of which takes `ms`. */
class Fake {
  queued = false;
  handled = 0;
  constructor(
    readonly clock: LabClock,
    public left: number,
    readonly ms = 0,
  ) {}

  run(most: number): number {
    const count = Math.min(most, this.left);
    for (let i = 0; i < count; i++) this.clock.ms += this.ms;
    this.left -= count;
    this.handled += count;
    return count;
  }

  get isReady(): boolean {
    return this.left > 0;
  }

  get asCell(): Cell {
    return this as unknown as Cell;
  }
}

function open(): { clock: LabClock; dispatcher: Dispatcher; slices: number[] } {
  const clock = new LabClock();
  const slices: number[] = [];
  const dispatcher = new Dispatcher(clock, { at: () => {}, ended: () => slices.push(clock.ms) });
  return { clock, dispatcher, slices };
}

const microtasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the dispatcher', () => {
  test('begins at once, without waiting for the loop to turn', async () => {
    const { clock, dispatcher } = open();
    const cell = new Fake(clock, 3);
    dispatcher.ready(cell.asCell);
    expect(cell.handled).toBe(0);
    await microtasks();
    expect(cell.handled).toBe(3);
  });

  test('R1 lets the loop turn when handlers have held the thread for their time', async () => {
    const { clock, dispatcher, slices } = open();
    const cell = new Fake(clock, 100, 1);
    dispatcher.ready(cell.asCell);
    await microtasks();
    expect(cell.left).toBeGreaterThan(0);
    const held = [slices[0] as number];
    while (clock.turn()) {
      await microtasks();
      held.push((slices.at(-1) as number) - (slices.at(-2) as number));
    }
    expect(cell.left).toBe(0);
    // A slice looks at the clock between bursts of one actor.
    expect(Math.max(...held)).toBeLessThanOrEqual(SLICE_MS + BURST_MESSAGES);
  });

  test('R1 many short slices share one time budget between two turns of the loop', async () => {
    const { clock, dispatcher } = open();
    let handled = 0;
    const endless = (): void => {
      const cell = new Fake(clock, 1, 0.5);
      const run = cell.run.bind(cell);
      cell.run = (most) => {
        handled++;
        queueMicrotask(endless);
        return run(most);
      };
      dispatcher.ready(cell.asCell);
    };
    endless();
    await microtasks();
    expect(handled).toBeGreaterThanOrEqual(SLICE_MS / 0.5);
    expect(handled).toBeLessThanOrEqual(SLICE_MS / 0.5 + 2);
  });

  test('R1 looks at the clock after each handler while handlers are slow', async () => {
    const { clock, dispatcher } = open();
    const cells = Array.from({ length: 20 }, () => new Fake(clock, 1, 3));
    for (const cell of cells) dispatcher.ready(cell.asCell);
    await microtasks();
    expect(cells.filter(({ handled }) => handled === 1)).toHaveLength(2);
  });

  test('R1 gives every actor its turn: a long queue of one does not hold up the others', async () => {
    const { clock, dispatcher } = open();
    const long = new Fake(clock, 10_000);
    const short = new Fake(clock, 1);
    let before = 0;
    short.run = () => {
      before = long.handled;
      short.left = 0;
      return 1;
    };
    dispatcher.ready(long.asCell);
    dispatcher.ready(short.asCell);
    await microtasks();
    expect(before).toBe(BURST_MESSAGES);
  });

  test('idle work is done when no actor is ready, once a turn of the loop, until it says that it is done', async () => {
    const { clock, dispatcher } = open();
    const order: string[] = [];
    const cell = new Fake(clock, 1);
    cell.run = () => {
      cell.left = 0;
      return order.push('message');
    };
    dispatcher.work(() => order.push('work') < 4);
    dispatcher.ready(cell.asCell);
    await microtasks();
    expect(order).toEqual(['message', 'work']);
    for (let i = 0; i < 5; i++) {
      clock.turn();
      await microtasks();
    }
    expect(order).toEqual(['message', 'work', 'work', 'work']);
    expect(clock.turn()).toBe(false);
  });

  test('what handlers have sent goes before idle work begins, and what that sent after it', async () => {
    const clock = new LabClock();
    const order: string[] = [];
    const events = { at: () => {}, ended: () => void order.push('flush') };
    const dispatcher = new Dispatcher(clock, events);
    dispatcher.work(() => order.push('work') < 0);
    dispatcher.ready(new Fake(clock, 1).asCell);
    await microtasks();
    expect(order).toEqual(['flush', 'work', 'flush']);
  });

  test('idle work that is woken while it says that it is done goes on', async () => {
    const { clock, dispatcher } = open();
    let steps = 0;
    const step = (): boolean => {
      if (++steps === 1) dispatcher.work(step);
      return false;
    };
    dispatcher.work(step);
    await microtasks();
    clock.turn();
    expect(steps).toBe(2);
  });

  test('idle work is not starved by messages that never end', async () => {
    const { clock, dispatcher, slices } = open();
    const cell = new Fake(clock, Number.POSITIVE_INFINITY, 0.01);
    const at: number[] = [];
    dispatcher.work(() => at.push(slices.length) < 3);
    dispatcher.ready(cell.asCell);
    for (let i = 0; i < 4 * WORK_AFTER_SLICES; i++) {
      clock.ms += 10;
      await Promise.resolve();
      clock.turn();
    }
    expect(at).toHaveLength(3);
    // Each of these slices ends twice: before it comes to the work, and after.
    expect((at[2] as number) - (at[1] as number)).toBeLessThanOrEqual(2 * WORK_AFTER_SLICES);
  });

  test('a cell that throws leaves the dispatcher in order', async () => {
    const { clock, dispatcher } = open();
    const [broken, cell] = [new Fake(clock, 1), new Fake(clock, 1)];
    broken.run = () => {
      throw new Error('broken');
    };
    // After a slice that took its time the next one comes with the turn of the loop, where the test can catch it.
    dispatcher.ready(new Fake(clock, 1, SLICE_MS).asCell);
    await microtasks();
    dispatcher.ready(broken.asCell);
    dispatcher.ready(cell.asCell);
    expect(() => clock.turn()).toThrow('broken');
    await microtasks();
    expect([cell.handled, dispatcher.inSlice]).toEqual([1, false]);
  });

  test('a clock that stands still does not keep the loop from turning', async () => {
    const { clock, dispatcher } = open();
    dispatcher.ready(new Fake(clock, Number.POSITIVE_INFINITY).asCell);
    await microtasks();
    expect(clock.turn()).toBe(true);
    await microtasks();
  });
});
