/** The pager's moves of rooms; broker and engine are told what to say. */
import { beforeEach, expect, it } from 'vitest';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import definition from '../../../src/actors/pager/pager.js';
import { EngineLost } from '../../../src/errors.js';
import { toEnvelope } from '../../../src/runtime/errors.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let pager: number;
let broker: Party<BrokerToMind, MindToBroker>;
let engine: Party<never, { readonly type: string }>;

beforeEach(async () => {
  thread = await TestThread.start();
  broker = await Party.enter(thread, 'broker', () => pager);
  engine = await Party.enter(thread, 'engine', () => pager);
  const args = { broker: broker.id, engine: engine.id, residency: 0, dir: '', diskBytes: 0, fingerprint: '' };
  pager = await thread.spawn(definition as never, 'pager', args);
});

it('R4 a broker that was started again is told of the moves that it may yet come upon', async () => {
  const message = { type: 'page-out', mind: 1, activity: '1/main', name: 'ada/main', deadlineMs: 60_000 };
  let failed: unknown;
  thread.ask(pager, message).catch((error: unknown) => {
    failed = error;
  });
  const asked = (await broker.hears()).find(({ type }) => type === 'request') as
    | { ticket: number }
    | undefined;
  const error = toEnvelope(new EngineLost({ reason: 'the broker was started again' }));
  broker.tell({ type: 'restarted', error });
  expect(await broker.hears()).toEqual([{ type: 'withdraw', ticket: asked?.ticket }]);
  await settled();
  expect(failed).toBeInstanceOf(EngineLost);
  expect(await engine.hears()).toEqual([]);
});
