/** Jobs on pages: of one name in order, of several side by side, and one that waits too long does not begin. */
import { expect, test } from 'vitest';
import { InOrder } from '../../src/pages/order.js';

/** A piece of work that ends when it is told to. */
function piece(): { readonly run: () => Promise<string>; readonly end: () => void; readonly begun: boolean } {
  let begun = false;
  let end = (): void => {};
  const over = new Promise<string>((resolve) => {
    end = () => resolve('done');
  });
  return {
    run: () => {
      begun = true;
      return over;
    },
    end: () => end(),
    get begun() {
      return begun;
    },
  };
}
const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('P5 jobs on one page wait for each other, those on another do not', async () => {
  const order = new InOrder();
  const [first, second, other] = [piece(), piece(), piece()];
  const all = [order.run('a', first.run), order.run('a', second.run), order.run('b', other.run)];
  await turns();
  expect([first.begun, second.begun, other.begun]).toEqual([true, false, true]);
  first.end();
  await turns();
  expect(second.begun).toBe(true);
  second.end();
  other.end();
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
});

test('R5 a job that is called off while another on its page goes on ends at once, and never begins', async () => {
  const order = new InOrder();
  const [first, second, third] = [piece(), piece(), piece()];
  const late = new AbortController();
  const before = order.run('a', first.run);
  const waits = order.run('a', second.run, late.signal);
  const behind = order.run('a', third.run);
  late.abort(new Error('late'));
  await expect(waits).rejects.toThrow('late');
  first.end();
  await before;
  await turns();
  expect([second.begun, third.begun]).toEqual([false, true]);
  third.end();
  await behind;
  await order.settled();
});

test('R5 a job that was called off before it was asked for ends at once, and has no place', async () => {
  const order = new InOrder();
  const first = piece();
  const all = Array.from({ length: 256 }, () => order.run('a', first.run));
  await expect(order.run('a', first.run, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  first.end();
  await Promise.all(all);
});

test('R5 a job that has begun is not called off', async () => {
  const order = new InOrder();
  const first = piece();
  const late = new AbortController();
  const run = order.run('a', first.run, late.signal);
  await turns();
  late.abort(new Error('late'));
  first.end();
  expect(await run).toBe('done');
});

test('P5 more than 256 pieces are refused, and there is room again when they are done', async () => {
  const order = new InOrder();
  const first = piece();
  const all = Array.from({ length: 256 }, (_, i) => order.run(`page ${i}`, first.run));
  await expect(order.run('more', first.run)).rejects.toMatchObject({ code: 'PageBusy' });
  first.end();
  await Promise.all(all);
  await order.settled();
  expect(await order.run('more', first.run)).toBe('done');
});
