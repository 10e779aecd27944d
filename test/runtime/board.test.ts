import { describe, expect, test } from 'vitest';
import {
  ActorState,
  Board,
  createBoardMemory,
  Field,
  TIME_EDGES_MS,
  timeBucket,
} from '../../src/runtime/board.js';
import { ERROR_BYTES, LAST_ERRORS, NAME_BYTES } from '../../src/runtime/defaults.js';

/** The board as its thread has it, and as anyone else sees it. */
function boards(): { own: Board; seen: Board } {
  const memory = createBoardMemory();
  return { own: new Board(memory), seen: new Board(memory) };
}

describe('R6 a board', () => {
  test('R4 wiped for the next life of its thread shows nothing of the one before', () => {
    const { own, seen } = boards();
    own.open(3, 7, 'ada');
    own.words[Board.at(3) + Field.kind] = own.names.number('mind');
    own.words[Board.at(3) + Field.lastError] = own.names.noteError('no');
    own.countDeadLetter();
    const next = new Board(own.wipe());
    expect([seen.holds(3, 7), seen.name(3), seen.deadLetters]).toEqual([false, '', 0]);
    next.open(0, 1, 'ben');
    next.words[Board.at(0) + Field.kind] = next.names.number('engine');
    expect(seen.names.text(seen.words[Board.at(0) + Field.kind] as number)).toBe('engine');
  });

  test('R6 shows others the records that its thread writes', () => {
    const { own, seen } = boards();
    own.open(3, 9, 'ada');
    own.count(Board.at(3) + Field.restarts);
    expect(seen.name(3)).toBe('ada');
    expect(seen.words[Board.at(3) + Field.restarts]).toBe(1);
    expect([seen.holds(3, 9), seen.holds(3, 8), seen.holds(2, 9)]).toEqual([true, false, false]);
    own.close(3);
    expect([seen.holds(3, 9), seen.words[Board.at(3) + Field.state]]).toEqual([false, ActorState.free]);
    own.open(3, 10, 'b');
    expect([seen.name(3), seen.words[Board.at(3) + Field.restarts]]).toEqual(['b', 0]);
  });

  test('R6 each actor keeps its name, however names of all lengths follow one another at its neighbours', () => {
    const memory = createBoardMemory(50);
    const [own, seen] = [new Board(memory), new Board(memory)];
    const called = new Map<number, string>();
    for (let i = 0; i < 2_000; i++) {
      const slot = (i * 17) % own.actors;
      const name = `${i}`.padEnd(1 + ((i * 29) % NAME_BYTES), '.');
      own.open(slot, i, name);
      called.set(slot, name);
    }
    const wrong = [...called].filter(([slot, name]) => seen.name(slot) !== name.slice(0, NAME_BYTES));
    expect([called.size, wrong]).toEqual([50, []]);
    own.names.noteError('the end of the room');
    expect([...called].filter(([slot, name]) => seen.name(slot) !== name)).toEqual([]);
  });

  test('R6 names are numbers; a name is written once, and read by anyone', () => {
    const { own, seen } = boards();
    const numbers = ['hello', 'käse', 'hello', ''].map((name) => own.names.number(name));
    expect(numbers[2]).toBe(numbers[0]);
    expect(numbers.map((number) => seen.names.text(number))).toEqual(['hello', 'käse', 'hello', '']);
    expect(seen.names.text(0)).toBeUndefined();
  });

  test('R6 a full table of names has one name for all others, and keeps those it has', () => {
    const { own, seen } = boards();
    const first = own.names.number('first');
    const name = (i: number): string => `a name of forty characters, number ${100_000 + i}`;
    for (let i = 0; i < 10_000; i++) own.names.number(name(i));
    expect(seen.names.text(own.names.number(name(10_000)))).toBe('(other)');
    expect(own.names.number('first')).toBe(first);
  });

  test('R6 error texts overwrite the oldest, are cut at a character, and do not use names up', () => {
    const { own, seen } = boards();
    const first = own.names.noteError('the first');
    const long = own.names.noteError('ü'.repeat(500));
    expect([seen.names.error(first), seen.names.error(0)]).toEqual(['the first', undefined]);
    expect(seen.names.error(long)).toBe('ü'.repeat(ERROR_BYTES / 2));
    for (let i = 0; i < LAST_ERRORS - 2; i++) own.names.noteError(`error ${i}`);
    expect(seen.names.error(first)).toBe('the first');
    const last = own.names.noteError('the last');
    expect([seen.names.error(first), seen.names.error(last)]).toEqual([
      'an error too old to be kept',
      'the last',
    ]);
  });

  test('R6 a time falls into the counter whose edge it is below', () => {
    expect(timeBucket(0)).toBe(0);
    for (const [i, edge] of TIME_EDGES_MS.entries()) {
      expect([timeBucket(edge * 0.999), timeBucket(edge)]).toEqual([i, i + 1]);
    }
  });
});
