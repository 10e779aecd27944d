/** Minds with one long beginning in a context that has no room for it once for each of them. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Troupe } from '../../src/index.js';
import { circling, ENDLESS, folder, running, startTroupe, until, writeLongModel } from './stage.js';

const CONTEXT = 1024;
const MINDS = 4;
const REPLY = 300;
/** 500 tokens. */
const WORLD = 'The town lies by the sea, and its people are sailors, priests and widows of sailors. '.repeat(
  16,
);
/** Room for two turns that share nothing; for four that share their beginning, and that beginning once more. */
const CELLS = 2304;

let place: ReturnType<typeof folder>;
let troupe: Troupe;
beforeAll(async () => {
  place = folder();
  const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  troupe = await startTroupe({ model, lanes: MINDS, context: CONTEXT, cells: CELLS });
});
afterAll(async () => {
  await troupe.stop();
  place[Symbol.dispose]();
});

it('T1 B1 all speak at once, and go on in their lanes: their beginning is read once and counts once', async () => {
  const names = Array.from({ length: MINDS }, (_, i) => `mind ${i}`);
  const minds = await Promise.all(names.map((name) => troupe.mind(name, { system: WORLD })));
  const options = { maxTokens: REPLY, sampling: circling };
  const turns = minds.map((mind, i) => mind.turn(`${i} ${ENDLESS}`, options));
  await until(() => running(troupe) === MINDS, 'a run on each lane');
  const results = await Promise.all(turns.map((turn) => turn.result));
  expect(results.map(({ outcome, error }) => [outcome, error?.code])).toEqual(
    names.map(() => ['length', undefined]),
  );
  const runs = results.flatMap(({ receipt }) => receipt.runs);
  expect(runs).toHaveLength(MINDS);
  expect(Math.min(...results.map(({ receipt }) => receipt.promptTokens))).toBeGreaterThan(500);
  const shared = runs.map((run) => run.shared).filter((tokens) => tokens > 0);
  expect(shared).toHaveLength(MINDS - 1);
  expect(Math.min(...shared)).toBeGreaterThan(450);
  const saved = shared.reduce((sum, tokens) => sum + tokens);
  const held = () => troupe.inspect().lanes.reduce((sum, lane) => sum + lane.held, 0);
  const { cells } = await troupe.memory();
  expect(cells).toEqual({ total: CELLS, granted: 0, idle: held() - saved, saved });
  expect(held()).toBeGreaterThan(CELLS);
  const again = { maxTokens: 100, sampling: circling };
  for (const mind of minds) {
    const { receipt, error } = await mind.turn('Go on.', again).result;
    expect([error, receipt.runs[0]?.pagedIn.bytes, receipt.runs.length]).toEqual([undefined, 0, 1]);
    expect(receipt.runs[0]?.reused).toBeGreaterThan(500 + REPLY);
  }
});
