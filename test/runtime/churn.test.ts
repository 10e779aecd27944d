import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure, HOST_A, MAIN, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

test('R3 actors that came, asked, crashed and went leave no cell, timer, ask, watch or name', async () => {
  const { main } = stage.system;
  const before = stage.system.inspect().actors.length;
  const far = await stage.spawn(HOST_A);
  for (let round = 0; round < 3; round++) {
    const ids = await Promise.all(Array.from({ length: 100 }, () => stage.spawn(MAIN)));
    await Promise.all(
      ids.map(async (id) => {
        await stage.ask(id, { type: 'watch', id: far });
        await stage.ask(id, { type: 'after', ms: 60_000, value: 1 });
        await stage.ask(id, { type: 'wait', for: far, reason: 'ever', deadlineMs: 60_000 });
        await stage.ask(id, { type: 'forward', to: far, message: { type: 'echo' } });
        await stage.ask(id, { type: 'save', changes: { id } });
        await failure(stage.ask(id, { type: 'crash' }));
        await stage.ask(id, { type: 'forget-an-ask', to: far, deadlineMs: 60_000 });
      }),
    );
    await Promise.all(ids.map((id) => stage.system.stopActor(id, 'enough')));
  }
  expect(main.cells()).toHaveLength(1);
  expect([main.asks.size, main.deadlines.size, main.watches.size, main.ending.size]).toEqual([0, 0, 0, 0]);
  expect(stage.system.inspect().actors).toHaveLength(before + 1);
});
