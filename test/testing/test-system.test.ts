/**
 * R7: what the test kit promises beyond docs/testing.md: exact replay, bounds, and what a lost thread leaves.
 */
import { expect, test } from 'vitest';
import type { Definition } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import { TestSystem } from '../../src/testing/index.js';

const THREADS = [
  { name: 'a', host: true },
  { name: 'b', host: true },
  { name: 'c', host: true },
];

/** Passes a ball on to the next of a ring until it has gone so many times. */
const player: Definition = {
  kind: 'player',
  start: () => ({
    receive({ type, left, ring }: Message & { left: number; ring: ActorId[] }, ctx) {
      const [next, ...others] = ring;
      if (left > 0) ctx.tell(next as ActorId, { type, left: left - 1, ring: [...others, next] });
    },
  }),
};

async function game(seed: number): Promise<{ trace: number; steps: number; processed: number[] }> {
  const stage = await TestSystem.start({ seed, threads: THREADS });
  const ring: ActorId[] = [];
  for (const name of ['ann', 'ben', 'cid']) ring.push(await stage.spawn({ name, actor: player }));
  for (let ball = 0; ball < 5; ball++)
    stage.tell(ring[ball % 3] as ActorId, { type: 'ball', left: 20, ring });
  await stage.advance(1_000);
  const { actors } = stage.system.inspect();
  const processed = ring.map((id) => actors.find((actor) => actor.id === id)?.processed ?? 0);
  await stage.stop();
  return { trace: stage.loop.trace, steps: stage.loop.steps, processed };
}

test('R7 the same seed happens the same way; another one happens otherwise', async () => {
  const first = await game(7);
  expect(await game(7)).toEqual(first);
  expect(first.processed.reduce((sum, count) => sum + count, 0)).toBe(105);
  expect((await game(8)).trace).not.toBe(first.trace);
});

test('R7 a thread that is lost gets nothing more, and what it had sent arrives', async () => {
  const stage = await TestSystem.start({ delayMs: () => 10 });
  const heard = await stage.probe('heard');
  const echo: Definition = {
    kind: 'echo',
    start: () => ({
      receive: (message: Message, ctx) => void ctx.tell(heard.id, { type: `${message.type}!` }),
    }),
  };
  const id = await stage.spawn({ name: 'echo', actor: echo });
  heard.tell(id, { type: 'first' });
  await stage.advance(15);
  heard.tell(id, { type: 'second' });
  await stage.advance(1);
  stage.loseThread(2);
  await heard.expectMessage('first!');
  await heard.expectNoMessage();
  await stage.stop();
});

test('R7 an expectation says what it found instead', async () => {
  const stage = await TestSystem.start();
  const probe = await stage.probe('ear');
  await expect(probe.expectMessage('song')).rejects.toThrow(
    'the probe ear expected a message song; none came within 3000 ms',
  );
  stage.tell(probe.id, { type: 'noise' });
  await expect(probe.expectMessage('song')).rejects.toThrow('the next one is noise');
  await expect(probe.expectNoMessage()).rejects.toThrow('expected no message for 3000 ms; noise came');
  expect(probe.left).toEqual([{ type: 'noise' }]);
  await expect(probe.expectNotice('ended', 10)).rejects.toThrow('a notice ended; none came within 10 ms');
  await stage.stop();
});

test('R7 what can never come is said, with what is still to come', async () => {
  const stage = await TestSystem.start();
  await expect(stage.settle(new Promise(() => {}))).rejects.toThrow('nothing is left to come');
  await stage.stop();
});

test('R7 one thing happens a step, and none when nothing is left', async () => {
  const stage = await TestSystem.start();
  const probe = await stage.probe('far');
  const id = await stage.spawn({ name: 'ann', actor: player });
  probe.tell(id, { type: 'ball', left: 0, ring: [probe.id] });
  const { steps } = stage.loop;
  expect(await stage.step()).toBe(true);
  expect(stage.loop.steps).toBe(steps + 1);
  await stage.advance(60_000);
  expect(await stage.step()).toBe(false);
  await stage.stop();
});
