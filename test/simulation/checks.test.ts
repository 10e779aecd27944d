/**
 * R7: what no line can break is broken inside a system, and the checks find it.
 */
import { expect, test } from 'vitest';
import type { Context, Definition } from '../../src/runtime/actor.js';
import { type ActorId, slotOf } from '../../src/runtime/address.js';
import { Board, Field } from '../../src/runtime/board.js';
import type { Cell } from '../../src/runtime/cell.js';
import { MAILBOX_BOUND } from '../../src/runtime/defaults.js';
import { Band } from '../../src/runtime/message.js';
import { SimulatedSystem } from '../../src/testing/simulation/index.js';

const slow: Definition = {
  kind: 'slow',
  start: () => ({
    receive: (message: { type: string }, ctx: Context) => {
      if (message.type === 'owe') ctx.replyLater();
      if (message.type === 'ask') void ctx.ask(ctx.self, { type: 'owe' }, { deadlineMs: 10 }).catch(() => {});
      return message.type === 'wait' ? new Promise(() => {}) : undefined;
    },
    control: () => undefined,
  }),
};

interface Planted {
  readonly sim: SimulatedSystem;
  readonly id: ActorId;
  readonly cell: Cell;
}

async function planted(): Promise<Planted> {
  const sim = await SimulatedSystem.start({ seed: 1, threads: [{ name: 'a', host: true }], faults: [] });
  const id = await sim.stage.spawn({ name: 'slow', actor: slow });
  const cell = sim.stage.threads.map((thread) => thread.cell(id)).find((found) => found !== undefined);
  return { sim, id, cell: cell as Cell };
}

const properties = ({ sim }: Planted): string[] => [
  ...new Set(sim.violations.all.map(({ property }) => property)),
];

test('R7 a user message that is handled while another handler awaits', async () => {
  const plant = await planted();
  plant.sim.stage.tell(plant.id, { type: 'wait' });
  await plant.sim.stage.advance(1);
  plant.cell.inHand = undefined;
  plant.sim.stage.tell(plant.id, { type: 'go' });
  await plant.sim.stage.advance(1);
  expect(properties(plant)).toContain('one user message at a time');
});

test('R7 a mailbox beyond its bound', async () => {
  const plant = await planted();
  const bound = MAILBOX_BOUND as { user: number };
  const { user } = bound;
  plant.sim.stage.tell(plant.id, { type: 'wait' });
  bound.user = 2 * user;
  try {
    for (let i = 0; i < user + 10; i++) plant.sim.stage.tell(plant.id, { type: 'go' });
    await plant.sim.stage.advance(1);
  } finally {
    bound.user = user;
  }
  expect(properties(plant)).toContain('mailboxes keep their bounds');
});

test('R7 a counter that goes down', async () => {
  const plant = await planted();
  plant.sim.stage.tell(plant.id, { type: 'go' });
  await plant.sim.stage.advance(1);
  const index = Board.at(slotOf(plant.id)) + Field.taken + Band.user;
  plant.cell.home.board.words[index] = 0;
  plant.sim.stage.tell(plant.id, { type: 'go' }, { band: Band.control });
  await plant.sim.stage.advance(1);
  expect(properties(plant)).toContain('counters only go up');
});

test('R7 an answer that is owed, and a handler that never ends', async () => {
  const plant = await planted();
  plant.sim.stage.system.ask(plant.id, { type: 'owe' }).catch(() => {});
  plant.sim.stage.tell(plant.id, { type: 'wait' });
  await plant.sim.quiet(20_000);
  expect(properties(plant)).toEqual(['nothing is left waiting']);
  const what = plant.sim.violations.all.map((violation) => violation.what);
  expect(what).toEqual(['slow has wait in hand', 'slow owes 1 answers']);
});

test('R7 an ask that never settles', async () => {
  const plant = await planted();
  plant.sim.stage.tell(plant.id, { type: 'ask' });
  await plant.sim.stage.runUntil(() => plant.cell.home.asks.size > 0, 5);
  plant.cell.home.deadlines.clear();
  await plant.sim.quiet(20_000);
  expect(properties(plant)).toContain('every ask settles once');
});
