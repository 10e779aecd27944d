/** A lane that is read through a window, on a real context: what is refused, what closes it, what is leased meanwhile. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Holds, Lease } from '../../../src/actors/broker/leases.js';
import type { IdleLane, WindowMessage } from '../../../src/actors/engine/lane-window.js';
import type { WindowInfo } from '../../../src/native/pages.js';
import { Band } from '../../../src/runtime/message.js';
import { addon } from '../../native/fixtures.js';
import { settled } from '../thread.js';
import { EngineStage } from './stage.js';

const MIB = 2 ** 20;
const TOKENS = Int32Array.from({ length: 60 }, (_, i) => 4 + ((i * 37) % 250));

let stage: EngineStage;
beforeEach(async () => {
  stage = await EngineStage.open();
});
afterEach(async () => {
  await stage.close();
  expect(addon.pages.usage().windows).toBe(0);
  for (const id of addon.pages.list()) addon.pages.release(id);
});

const ask = <T>(message: WindowMessage): Promise<T> =>
  stage.thread.ask<T>(stage.engine, { ...message }, Band.reserved);
const open = (lane: IdleLane): Promise<WindowInfo> => ask<WindowInfo>({ type: 'open-window', ...lane });
const fill = (window: number): Promise<void> =>
  ask<void>({ type: 'fill-window', window, section: 0, offset: 0, length: 64 });
let leases: readonly Lease[] = [];
/** What the broker was last told of memory. */
async function told(): Promise<readonly Lease[]> {
  await stage.thread.pass(100);
  const holds = ((await stage.broker.hears()) as { type: string }[]).filter(({ type }) => type === 'holds');
  leases = (holds.at(-1) as Holds | undefined)?.leases ?? leases;
  return leases;
}
/** Lane 0 after a run of 'a', as the broker has heard of it. */
async function ran(given: { readonly continues?: boolean } = {}): Promise<IdleLane> {
  stage.begin(TOKENS, { maxTokens: 4, ...given });
  await stage.done();
  const [word] = await stage.heard('ran');
  const { grant = 0, lane = 0, held = 0 } = word ?? {};
  return { activity: 'a', lane, grant, held };
}

it('B4 gives pieces of a lane that stays as it is, in 16 MiB at most', async () => {
  const lane = await ran();
  const { page, pieceBytes, layout } = await open(lane);
  expect(addon.pages.usage().windows).toBe(16 * MIB);
  expect(pieceBytes).toBeLessThan(16 * MIB);
  expect(layout.cells).toBe(lane.held);
  await fill(page);
  stage.broker.tell({ type: 'leases-again' } as never);
  expect((await told()).filter(({ kind }) => kind === 'window' || kind === 'pages')).toMatchObject([
    { kind: 'window', bytes: 16 * MIB, floorBytes: 16 * MIB },
  ]);
  await ask({ type: 'close-window', window: page });
  await expect(fill(page)).rejects.toMatchObject({ code: 'BadArgument' });
});

it.each([
  ['another activity', { activity: 'b' }],
  ['another grant', { grant: 7 }],
  ['another length', { held: 3 }],
  ['a lane that is not there', { lane: 9 }],
])('B4 is refused for %s than the lane has', async (_, other) => {
  const lane = await ran();
  await expect(open({ ...lane, ...other })).rejects.toMatchObject({ code: 'LaneMismatch' });
  expect(addon.pages.usage().windows).toBe(0);
});

it('B4 is refused while a run has the lane', async () => {
  const lane = await ran();
  const grant = stage.begin(TOKENS, { continues: true, maxTokens: 400 });
  await settled(3);
  await expect(open(lane)).rejects.toMatchObject({ code: 'LaneMismatch' });
  stage.tell({ type: 'cancel', grant, error: undefined });
  await stage.done();
});

it.each<[string, (lane: IdleLane) => unknown]>([
  ['goes on', () => ran({ continues: true })],
  [
    'is vacated',
    ({ activity, lane }) =>
      stage.tell({ type: 'vacate', epoch: 0, claims: [{ lane, activity, keep: true }], drop: [] }),
  ],
  [
    'goes with its context',
    () => stage.tell({ type: 'relaunch', shape: { lanes: 1, cells: 512, context: 512 } }),
  ],
  ['is given up for a broker that was started again', () => stage.tell({ type: 'reset' })],
])('B4 gives no piece of a lane that %s, and the window is closed', async (_, change) => {
  const lane = await ran();
  const { page } = await open(lane);
  await change(lane);
  await stage.heard('ran');
  await expect(fill(page)).rejects.toMatchObject({ code: 'BadArgument' });
  expect(addon.pages.usage().windows).toBe(0);
});

it('B4 is leased no more when a piece is refused, for its lane has changed', async () => {
  const lane = await ran();
  const { page } = await open(lane);
  expect((await told()).map(({ kind }) => kind)).toContain('window');
  const grant = stage.begin(TOKENS, { continues: true, maxTokens: 400 });
  await settled(3);
  await expect(fill(page)).rejects.toMatchObject({ code: 'BadArgument' });
  expect((await told()).map(({ kind }) => kind)).not.toContain('window');
  stage.tell({ type: 'cancel', grant, error: undefined });
  await stage.done();
});

it('B4 is closed when nobody asks for a piece for 10 s; the lane is as it was', async () => {
  const lane = await ran();
  const { page } = await open(lane);
  await stage.thread.pass(8_000);
  await fill(page);
  await stage.thread.pass(8_000);
  expect(addon.pages.usage().windows).toBe(16 * MIB);
  await stage.thread.pass(3_000);
  expect(addon.pages.usage().windows).toBe(0);
  expect((await open(lane)).layout.cells).toBe(lane.held);
});

it('B4 is one for all lanes: another lane has it in place of the first', async () => {
  const lane = await ran();
  const first = await open(lane);
  const second = await open(lane);
  expect(addon.pages.usage().windows).toBe(16 * MIB);
  await expect(fill(first.page)).rejects.toMatchObject({ code: 'BadArgument' });
  await fill(second.page);
});
