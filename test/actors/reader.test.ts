/** The actor that hands pieces to turns, when a mind asks it how far it has read. */
import { expect, it } from 'vitest';
import type { MindControl, ReaderQuestion } from '../../src/actors/mind/protocol.js';
import { Reader } from '../../src/reader.js';
import { Turn } from '../../src/turn.js';
import { Party, TestThread } from './thread.js';

it('T7 says how far it has read, and nothing of a turn that its caller has given up', async () => {
  const reader = new Reader();
  const thread = await TestThread.start();
  const id = await thread.spawn(reader.definition, 'reader');
  const mind = await Party.enter<ReaderQuestion, MindControl>(thread, 'mind', () => id);
  const turn = new Turn(() => {});
  turn.grow('so far');
  reader.open(3, turn);
  mind.tell({ type: 'how-far', turn: 3, grant: 9 });
  expect(await mind.hears()).toEqual([{ type: 'read', turn: 3, grant: 9, text: 'so far', tokens: [] }]);
  reader.close(3);
  mind.tell({ type: 'how-far', turn: 3, grant: 9 });
  expect(await mind.hears()).toEqual([{ type: 'read', turn: 3, grant: 9, text: '', tokens: [] }]);
});
