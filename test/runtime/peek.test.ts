import { expect, test } from 'vitest';
import { threadActor } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { type PeekReport, peek } from '../../src/runtime/peek.js';
import { Lab } from './lab.js';

test('R6 a message that throws when it is looked at is listed all the same', async () => {
  const lab = await Lab.open(3);
  const id = await lab.spawn(2, { receive: () => new Promise(() => {}) });
  const thread = lab.thread(2);
  const spiteful = Object.defineProperty({ type: 'spite' }, 'field', {
    enumerable: true,
    get() {
      throw new Error('do not look');
    },
  });
  for (const message of [{ type: 'first' }, spiteful, { type: 'last' }]) {
    thread.tell(threadActor(2), id, message, Band.user);
  }
  await lab.run();
  const report = peek(thread.cell(id) as never, true) as PeekReport;
  expect(report.queued).toMatchObject([
    { type: 'spite', sizeBytes: 0, preview: '(cannot be read)' },
    { type: 'last' },
  ]);
});
