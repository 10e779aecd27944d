/**
 * Tell in one thread: a sender gives a receiver a burst of messages, which says so at its last one, and then the next.
 */
import { System } from '../../../dist/runtime/system.js';
import { expectWork } from '../../harness/interleave.mjs';
import { RunQueue } from './run-queue.mjs';

/** Half of what a mailbox holds. */
export const BURST = 512;
const BURSTS = 100;

/** How much is received, and that it is what was sent. */
export class Received {
  count = 0;
  sum = 0;

  take(value) {
    this.count++;
    this.sum += value;
    return value === BURST - 1;
  }

  /** The messages since the last check. */
  check(bursts) {
    const { count } = this;
    expectWork('messages received', count, bursts * BURST);
    expectWork('their sum', this.sum, (bursts * BURST * (BURST - 1)) / 2);
    this.count = 0;
    this.sum = 0;
    return count;
  }
}

export async function troupe() {
  const { main } = await System.start([]);
  const received = new Received();
  const receiver = await main.spawn(
    {
      kind: 'receiver',
      start: () => ({
        receive({ value }, ctx) {
          if (received.take(value)) ctx.tell(ctx.sender, { type: 'next' });
        },
      }),
    },
    { name: 'receiver', args: undefined },
  );
  let left = 0;
  let done;
  const sender = await main.spawn(
    {
      kind: 'sender',
      start: () => ({
        receive(_, ctx) {
          if (left-- === 0) return done();
          for (let value = 0; value < BURST; value++) ctx.tell(receiver, { type: 'note', value });
          return undefined;
        },
      }),
    },
    { name: 'sender', args: undefined },
  );
  return {
    async work() {
      left = BURSTS;
      await new Promise((resolve) => {
        done = resolve;
        main.tell(0, sender, { type: 'next' }, 2);
      });
      return received.check(BURSTS);
    },
  };
}

export function bare() {
  const queue = new RunQueue();
  const received = new Received();
  let left = 0;
  const receive = ({ value }) => {
    if (received.take(value)) tell(send, { type: 'next' });
  };
  const send = () => {
    if (left-- === 0) return;
    for (let value = 0; value < BURST; value++) tell(receive, { type: 'note', value });
  };
  const tell = (handler, message) => queue.push(() => handler(message));
  return {
    work() {
      left = BURSTS;
      tell(send, { type: 'next' });
      queue.run();
      return received.check(BURSTS);
    },
  };
}
