import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINK_OUTBOX, LINK_WINDOW } from '../../src/runtime/defaults.js';
import { Link } from '../../src/runtime/link.js';
import { type Batch, ENTRY, type Entry, entryAt, Wire } from '../../src/runtime/wire.js';

/** A link into a port whose batches wait to be taken. */
class Line {
  readonly port: Batch[] = [];
  readonly uncloneable: Entry[] = [];
  dirty = 0;
  creditsDue = 0;
  readonly link = new Link(
    {
      post: (batch, transfer) => void this.port.push(structuredClone(batch, { transfer: [...transfer] })),
      close: () => {},
    },
    {
      onDirty: () => this.dirty++,
      onUncloneable: (entry) => this.uncloneable.push(entry),
      onCreditDue: () => this.creditsDue++,
    },
  );

  /** The loop has turned: credit that is due goes out. */
  turn(): void {
    for (; this.creditsDue > 0; this.creditsDue--) this.link.giveCredit();
    this.link.flush();
  }

  /** Sends until it is refused; answers how many went. */
  fill(kind: Wire): number {
    let taken = 0;
    while (taken < 3 * LINK_WINDOW && this.link.send(kind, 1, 2, 0, undefined)) taken++;
    return taken;
  }

  take(): Entry[] {
    const batch = this.port.shift() ?? [];
    return Array.from({ length: batch.length / ENTRY }, (_, i) => entryAt(batch, i * ENTRY));
  }

  get onTheWay(): Entry[] {
    return this.port.flatMap((batch) =>
      Array.from({ length: batch.length / ENTRY }, (_, i) => entryAt(batch, i * ENTRY)),
    );
  }
}

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        send: fc.constantFrom<Wire>(Wire.user, Wire.user, Wire.control, Wire.reserved, Wire.answer),
        times: fc.constantFrom(1, 100, 3_000),
      }),
    },
    { weight: 2, arbitrary: fc.constant('flush' as const) },
    { weight: 2, arbitrary: fc.record({ take: fc.integer({ min: 1, max: 40 }) }) },
  ),
  { maxLength: 40 },
);

function noted(lists: Record<number, number[]>, kind: Wire, n: number): void {
  lists[kind] ??= [];
  lists[kind].push(n);
}

describe('R2 a link', () => {
  test('R2 never has more than its window on the way, loses and doubles nothing, keeps the order of each kind', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const line = new Line();
        const other = new Line();
        const accepted: Record<number, number[]> = {};
        const received: Record<number, number[]> = {};
        let n = 0;
        for (const step of all) {
          if (step === 'flush') line.link.flush();
          else if ('take' in step) {
            for (let i = 0; i < step.take; i++) {
              const entries = line.take();
              for (const { kind, ask } of entries) noted(received, kind, ask);
              const count = (kind: Wire): number => entries.filter((entry) => entry.kind === kind).length;
              if (entries.length > 0) other.link.took(count(Wire.user), count(Wire.control));
            }
            other.turn();
            for (const { kind, ask, payload } of other.take()) {
              if (kind === Wire.credit) line.link.credit(ask, payload as number);
            }
          } else {
            for (let i = 0; i < step.times; i++) {
              if (line.link.send(step.send, 1, 2, ++n, undefined)) noted(accepted, step.send, n);
            }
          }
          for (const kind of [Wire.user, Wire.control]) {
            const onTheWay = line.onTheWay.filter((entry) => entry.kind === kind).length;
            if (onTheWay > LINK_WINDOW) throw new Error(`${onTheWay} of kind ${kind} on the way`);
          }
        }
        for (let quiet = 0; quiet < 3; ) {
          line.link.flush();
          const entries = line.take();
          for (const { kind, ask } of entries) noted(received, kind, ask);
          other.link.took(LINK_WINDOW, 0);
          other.turn();
          other.take();
          line.link.credit(entries.filter(({ kind }) => kind === Wire.user).length, 0);
          quiet = entries.length === 0 ? quiet + 1 : 0;
        }
        expect(received).toEqual(accepted);
      }),
      { numRuns: 60 },
    );
  });

  test('R2 takes a window and an outbox of user messages and no more, and goes on when credit comes', () => {
    const line = new Line();
    expect(line.fill(Wire.user)).toBe(LINK_WINDOW + LINK_OUTBOX);
    expect(line.link.send(Wire.control, 1, 2, 0, undefined)).toBe(true);
    expect(line.link.send(Wire.reserved, 1, 2, 0, undefined)).toBe(true);
    line.link.credit(1, 0);
    expect(line.link.send(Wire.user, 1, 2, 0, undefined)).toBe(true);
    expect(line.link.send(Wire.user, 1, 2, 0, undefined)).toBe(false);
  });

  test('R2 refuses control messages past a window of their own', () => {
    const line = new Line();
    expect(line.fill(Wire.control)).toBe(LINK_WINDOW);
    line.link.credit(0, 10);
    expect(line.link.send(Wire.control, 1, 2, 0, undefined)).toBe(true);
  });

  test('R2 gives credit back in quarters of its window, when the loop has turned', () => {
    const line = new Line();
    line.link.took(LINK_WINDOW / 4 - 1, 0);
    expect(line.creditsDue).toBe(0);
    line.link.took(1, 0);
    line.link.took(LINK_WINDOW / 2, 7);
    line.link.flush();
    expect([line.creditsDue, line.onTheWay]).toEqual([1, []]);
    line.turn();
    expect(line.onTheWay.map(({ kind, ask, payload }) => [kind, ask, payload])).toEqual([
      [Wire.credit, (3 * LINK_WINDOW) / 4, 7],
    ]);
    line.link.took(LINK_WINDOW / 4, 0);
    expect(line.creditsDue).toBe(1);
  });

  test('says once a batch that it has something to flush', () => {
    const line = new Line();
    for (let i = 0; i < 10; i++) line.link.send(Wire.answer, 1, 2, i, undefined);
    line.link.flush();
    line.link.flush();
    expect([line.dirty, line.port.length, line.take().length]).toEqual([1, 1, 10]);
  });

  test('what cannot be cloned is left out and told of; the others of its batch go, in order, with their buffers', () => {
    const line = new Line();
    const buffers = [new ArrayBuffer(8), new ArrayBuffer(8)] as const;
    line.link.send(Wire.user, 1, 2, 1, { deep: [{ buffer: buffers[0] }] }, [buffers[0]]);
    line.link.send(Wire.user, 1, 2, 2, { bad: () => {} });
    line.link.send(Wire.user, 1, 2, 3, { buffer: buffers[1] }, [buffers[1]]);
    line.link.send(Wire.user, 1, 2, 4, { again: buffers[1] });
    line.link.send(Wire.user, 1, 2, 5, undefined);
    line.link.flush();
    expect(line.onTheWay.map(({ ask }) => ask)).toEqual([1, 3, 5]);
    expect(line.uncloneable.map(({ ask }) => ask)).toEqual([2, 4]);
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual([0, 0]);
    expect(line.fill(Wire.user)).toBe(LINK_WINDOW + LINK_OUTBOX - 3);
  });

  test('a closed link takes nothing, and answers the messages that it had not posted', () => {
    const line = new Line();
    line.fill(Wire.user);
    line.link.send(Wire.answer, 1, 2, 8, undefined);
    const posted = line.onTheWay.length;
    const unsent = line.link.close();
    expect(unsent).toHaveLength(LINK_WINDOW + LINK_OUTBOX - posted);
    expect(unsent.every(({ kind }) => kind === Wire.user)).toBe(true);
    expect([line.link.send(Wire.answer, 1, 2, 0, undefined), line.link.close()]).toEqual([false, []]);
  });
});
