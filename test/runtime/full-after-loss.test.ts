import { expect, test } from 'vitest';
import { threadActor } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';

test('R2 a sender whose thread was lost is told anew that a band is full', async () => {
  const lab = await Lab.open(4);
  const id = await lab.spawn(2, { receive: () => new Promise(() => {}) });
  const flood = (thread: number): void => {
    for (let i = 0; i < 1_100; i++)
      lab.thread(thread).tell(threadActor(thread), id, { type: 'x' }, Band.user);
  };
  flood(3);
  await lab.run();
  expect(lab.thread(3).tell(threadActor(3), id, { type: 'x' }, Band.user)).toBe(false);
  lab.thread(2).loseThread(3, 't3', 'lost');
  const again = await lab.add(3, 1);
  expect(again.tell(threadActor(3), id, { type: 'x' }, Band.user)).toBe(true);
  await lab.run();
  expect(again.tell(threadActor(3), id, { type: 'x' }, Band.user)).toBe(false);
});
