import { expect, test } from 'vitest';
import { type ActorId, NOBODY } from '../../src/runtime/address.js';
import { ENVELOPES_KEPT } from '../../src/runtime/defaults.js';
import { Envelopes } from '../../src/runtime/envelopes.js';
import { Band, Envelope, type Message } from '../../src/runtime/message.js';
import { Lab } from './lab.js';

test('R2 an envelope that was handled carries the next message as if it were new', () => {
  const envelopes = new Envelopes();
  const first = envelopes.take(1, Band.control, 'first', { type: 'first', big: true }, 10);
  envelopes.give(first);
  expect(first.message).not.toHaveProperty('big');
  const message = { type: 'second' };
  const second = envelopes.take(2, Band.user, 'second', message, 20);
  expect(second).toBe(first);
  expect(second).toEqual(new Envelope(2, Band.user, 0, 'second', message, 20));
});

test('R2 no more envelopes are kept than one mailbox holds', () => {
  const envelopes = new Envelopes();
  const make = (): Envelope => envelopes.take(NOBODY, Band.user, 'm', { type: 'm' }, 0);
  const made = Array.from({ length: ENVELOPES_KEPT + 10 }, make);
  for (const envelope of made) envelopes.give(envelope);
  const again = new Set(made.map(make));
  expect(made.filter((envelope) => again.has(envelope))).toHaveLength(ENVELOPES_KEPT);
});

test('R5 a wait that a handler left behind does not hold up a later message', async () => {
  const lab = await Lab.open(3);
  const deadlocks: unknown[] = [];
  lab.thread(2).probes.on((probe) => probe.name === 'deadlock' && deadlocks.push(probe));
  let ada: ActorId = NOBODY;
  let askBack = (): void => {};
  const gate = new Promise<void>((resolve) => {
    askBack = resolve;
  });
  const answer = { type: 'answer' };
  const bob = await lab.spawn(2, (ctx) => ({ receive: () => gate.then(() => ctx.ask(ada, answer)) }), 'bob');
  ada = await lab.spawn(2, (ctx) => ({
    receive({ type }: Message) {
      if (type === 'leave') ctx.ask(bob, { type: 'ask back' }).catch(() => {});
      return type === 'stay' ? new Promise(() => {}) : undefined;
    },
  }));
  // The second may come in the envelope of the first.
  for (const type of ['leave', 'stay']) {
    lab.thread(2).tell(NOBODY, ada, { type }, Band.user);
    await lab.run();
  }
  askBack();
  await lab.run();
  expect(deadlocks).toEqual([]);
});

test('R3 what a handler keeps of a message stays with it while others come and go', async () => {
  const lab = await Lab.open(3);
  const kept: unknown[] = [];
  const id = await lab.spawn(2, (ctx) => ({
    async receive(message: Message) {
      const { sender } = ctx;
      if (message.slow) await new Promise<void>((resolve) => setImmediate(resolve));
      kept.push([message.value, sender]);
    },
  }));
  for (let value = 0; value < 20; value++) {
    lab.thread(2).tell(value, id, { type: 'note', value, slow: value % 3 === 0 }, Band.user);
  }
  for (let i = 0; i < 20; i++) await lab.run();
  expect(kept).toEqual(Array.from({ length: 20 }, (_, value) => [value, value]));
});
