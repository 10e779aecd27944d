/** A sender that changes what it has sent harms at most the actor that reads it. */
import { expect, test } from 'vitest';
import { type ActorId, NOBODY, threadActor } from '../../src/runtime/address.js';
import { Band, type Message } from '../../src/runtime/message.js';
import { peek } from '../../src/runtime/peek.js';
import type { TracedEvent } from '../../src/runtime/trace-protocol.js';
import { Tracer } from '../../src/runtime/tracer.js';
import { Lab } from './lab.js';

const untype = (message: Message): void => {
  (message as { type: unknown }).type = undefined;
};

/** An actor that keeps what it gets, by band. */
async function keeper(lab: Lab, thread: number): Promise<{ id: ActorId; got: unknown[] }> {
  const got: unknown[] = [];
  const id = await lab.spawn(thread, {
    receive: (message: Message) => void got.push(message.value),
    control: (message: Message) => void got.push(message.value),
  });
  return { id, got };
}

test.each([
  ['user', Band.user],
  ['control', Band.control],
] as const)(
  'R2 a message whose type is taken away after it was sent arrives, %s band',
  async (_name, band) => {
    const lab = await Lab.open(3);
    const { id, got } = await keeper(lab, 2);
    const message = { type: 'note', value: 1 };
    lab.thread(2).tell(NOBODY, id, message, band);
    untype(message);
    expect(peek(lab.thread(2).cell(id) as never, true).queued).toMatchObject([{ type: 'note' }]);
    await lab.run();
    lab.thread(2).tell(NOBODY, id, { type: 'note', value: 2 }, band);
    await lab.run();
    expect(got).toEqual([1, 2]);
  },
);

test('R2 a message to oneself whose type is taken away before it is due arrives', async () => {
  const lab = await Lab.open(3);
  const got: unknown[] = [];
  await lab.spawn(2, (ctx) => {
    const message = { type: 'late', value: 1 };
    ctx.after(5, message);
    untype(message);
    return { receive: () => undefined, control: ({ value }: Message) => void got.push(value) };
  });
  await lab.run(10);
  expect(got).toEqual([1]);
});

test('R2 a message to another thread whose type is taken away before it has left arrives, and is called so', async () => {
  const lab = await Lab.open(4);
  const { id, got } = await keeper(lab, 3);
  const message = { type: 'note', value: 1 };
  await lab.spawn(2, (ctx) => {
    ctx.tell(id, message);
    untype(message);
    return { receive: () => undefined };
  });
  await lab.run();
  expect(got).toEqual([1]);
});

test('R2 a message that turns into one that cannot be cloned or read comes back by the type it had, as far as that shows', async () => {
  const lab = await Lab.open(4);
  const { id } = await keeper(lab, 3);
  const heard: unknown[] = [];
  await lab.spawn(2, (ctx) => {
    const message = { type: 'note', value: 1 };
    ctx.tell(id, message);
    Object.defineProperty(message, 'type', {
      enumerable: true,
      get() {
        throw new Error('do not look');
      },
    });
    return { receive: () => undefined, notice: (notice) => void heard.push(notice) };
  });
  await lab.run();
  expect(heard).toMatchObject([{ type: 'undelivered', to: id, messageType: '(no type)' }]);
});

test('R6 a trace with previews of a message that throws when it is looked at harms nobody', async () => {
  const lab = await Lab.open(3);
  const events: TracedEvent[] = [];
  lab.thread(0).onTraced = (batch) => events.push(...batch.events);
  Tracer.begin(lab.thread(2), { trace: 1, ms: 1_000, aSecond: 100, preview: true } as never);
  const { id, got } = await keeper(lab, 2);
  const spiteful = Object.defineProperty({ type: 'spite', value: 1 }, 'field', {
    enumerable: true,
    get() {
      throw new Error('do not look');
    },
  });
  lab.thread(2).tell(threadActor(2), id, spiteful, Band.user);
  await lab.run(500);
  expect(got).toEqual([1]);
  const spites = events.filter(({ type }) => type === 'spite');
  expect(spites.map(({ event, preview }) => [event, preview])).toEqual(
    ['queued', 'taken', 'done'].map((event) => [event, '(cannot be read)']),
  );
});
