import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Board, createBoardMemory, Field } from '../../src/runtime/board.js';
import { Band, Envelope } from '../../src/runtime/message.js';
import { type Wait, Waits } from '../../src/runtime/waits.js';

test('R5 waits end in any order; of those left the oldest that another ends shows on the board', () => {
  const board = new Board(createBoardMemory());
  const word = (field: number): number => board.words[Board.at(2) + field] as number;
  const self = 2 ** 32 + 2 * 2 ** 8;
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom('add' as const, 'add for itself' as const),
          fc.nat(20),
          fc.constant('clear' as const),
        ),
      ),
      (steps) => {
        const waits = new Waits(board, self);
        let list: Wait[] = [];
        const ended: Wait[] = [];
        for (const [n, step] of steps.entries()) {
          if (step === 'add' || step === 'add for itself') {
            const on = step === 'add' ? 2 ** 32 * n + n : self;
            list.push(waits.add(`reason ${n % 7}`, n, 10, on, undefined));
          } else if (step === 'clear') {
            waits.clear();
            ended.push(...list);
            list = [];
          } else {
            const [gone] = list.splice(step % Math.max(1, list.length), 1);
            gone?.end();
            if (gone !== undefined) ended.push(gone);
          }
          // One that has ended may be ended again.
          ended.at(-1)?.end();
          expect([...waits].every((wait, i) => wait === list[i])).toBe(true);
          expect([...waits].length).toBe(list.length);
          const oldest = list.find(({ on }) => on !== self) ?? list[0];
          expect(board.names.text(word(Field.waitReason))).toBe(oldest?.reason);
          if (oldest === undefined) continue;
          expect(word(Field.waitGeneration) * 2 ** 32 + (word(Field.waitFor) >>> 0)).toBe(oldest.on);
          expect([word(Field.waitSince), word(Field.waitDeadline)]).toEqual([oldest.since, oldest.deadline]);
        }
        waits.clear();
      },
    ),
  );
});

test('R5 the waits of a handler are those made while it is in hand', () => {
  const waits = new Waits(new Board(createBoardMemory()), 2 ** 32 + 2 * 2 ** 8);
  const handlers = [1, 2].map(() => new Envelope(0, Band.user, 0, 'm', { type: 'm' }, 0));
  const [first, second] = handlers as [Envelope, Envelope];
  const made = [first, undefined, first, undefined, second, undefined, second, undefined].map((handler, n) =>
    waits.add('reason', n, 10, 5, handler),
  );
  expect([...waits.of(second)]).toEqual([made[6], made[4]]);
  for (const wait of [...waits.of(second)]) wait.end();
  expect([...waits.of(second)]).toEqual([]);
  expect([...waits.of(first)]).toEqual([made[2], made[0]]);
});
