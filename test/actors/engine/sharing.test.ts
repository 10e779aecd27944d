/** What the engine says of cells that lanes share, and runs that cannot keep what their grants count on. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Run, RunDone } from '../../../src/actors/engine/protocol.js';
import { EngineStage } from './stage.js';

const tokens = (length: number, from = 4): number[] =>
  Array.from({ length }, (_, i) => from + ((i * 37) % 250));
const PREFIX = tokens(100);

let stage: EngineStage;
beforeEach(async () => {
  stage = await EngineStage.open({ shape: { lanes: 3, cells: 1024, context: 512 } });
});
afterEach(() => stage.close());

/** A run of so many tokens, which says one. */
async function run(of: readonly number[], given: Partial<Run>): Promise<RunDone> {
  const done = stage.done();
  stage.begin(Int32Array.from(of), { maxTokens: 1, ...given });
  return done;
}
const a = { activity: 'a', lane: 0 };
const b = { activity: 'b', lane: 1 };
const again = { continues: true };

it('B1 lanes that share are told of, each with the grant that it has', async () => {
  await run([...PREFIX, 1], a);
  expect(await stage.heard('shared')).toEqual([]);
  await run([...PREFIX, 2], b);
  const told = await stage.heard('shared');
  expect(told.map(({ lane, grant, stretches }) => [lane, grant, stretches.at(-1)?.to])).toEqual([
    [1, 2, 100],
    [0, 1, 101],
  ]);
  expect(told[0]?.stretches[0]?.origin).toBe(told[1]?.stretches[0]?.origin);
});

it('B1 a lane that goes on is told of again, and one that nobody shares with is not', async () => {
  await run([...PREFIX, 1], a);
  await run([...PREFIX, 2], b);
  await stage.heard('shared');
  await run([...PREFIX, 1, 9], { ...a, ...again });
  const [first, ...rest] = await stage.heard('shared');
  expect([first?.lane, first?.grant, rest]).toEqual([0, 3, []]);
  await run(tokens(50, 9), { activity: 'c', lane: 1 });
  const [ran] = await stage.heard('ran');
  expect([ran?.lane, ran?.stretches]).toEqual([1, []]);
  await run([...PREFIX, 1, 9, 9], { ...a, ...again });
  expect(await stage.heard('shared')).toEqual([]);
});

it('B1 a run that keeps what its grant counts as shared begins', async () => {
  await run([...PREFIX, 1], a);
  await run([...PREFIX, 2], b);
  const done = await run([...PREFIX, 7], { ...a, ...again, sharing: 100 });
  expect(done).toMatchObject({ begun: true, outcome: 'length', reused: 100 });
});

it('B1 one that would not is sent back, and its lane keeps what it can: then it begins', async () => {
  await run([...PREFIX, 1], a);
  await run([...PREFIX, 2], b);
  await stage.heard('ran');
  const other = [...PREFIX.slice(0, 40), ...tokens(50, 9)];
  const sent = await run(other, { ...a, ...again, sharing: 100 });
  expect(sent).toMatchObject({ begun: false, outcome: 'reclaimed', error: { code: 'LaneMismatch' } });
  const [ran] = await stage.heard('ran');
  expect(ran).toMatchObject({ activity: 'a', held: 40, stretches: [{ to: 40 }] });
  const done = await run(other, { ...a, ...again, sharing: 40 });
  expect(done).toMatchObject({ begun: true, reused: 40 });
});

it.each([
  [0, { reused: 161, shared: 161 }],
  [100, { reused: 101, shared: 0 }],
])('B1 of which %d tokens are counted as shared gives these up for no others', async (sharing, expected) => {
  const longer = [...PREFIX, 1, ...tokens(60, 9)];
  const c = { activity: 'c', lane: 2 };
  await run(longer, c);
  stage.tell({ type: 'vacate', epoch: 0, claims: [{ ...c, keep: true }], drop: [] });
  await run([...PREFIX, 1], a);
  await run([...PREFIX, 2], b);
  // It comes back from its page, into cells of its own.
  await run([...longer, 3], { ...c, vacated: 1 });
  expect(await run([...longer, 5], { ...a, ...again, sharing })).toMatchObject(expected);
});
