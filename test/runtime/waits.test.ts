import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Board, createBoardMemory, Field } from '../../src/runtime/board.js';
import { type Wait, Waits } from '../../src/runtime/waits.js';

test('R5 waits end in any order; the oldest that is left shows on the board', () => {
  const board = new Board(createBoardMemory());
  const word = (field: number): number => board.words[Board.at(2) + field] as number;
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant('add' as const), fc.nat(20), fc.constant('clear' as const))),
      (steps) => {
        const waits = new Waits(board, 2);
        let list: Wait[] = [];
        const ended: Wait[] = [];
        for (const [n, step] of steps.entries()) {
          if (step === 'add') list.push(waits.add(`reason ${n % 7}`, n, 10, 2 ** 32 * n + n));
          else if (step === 'clear') {
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
          const [oldest] = list;
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
