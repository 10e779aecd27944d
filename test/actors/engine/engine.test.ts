/** The engine itself, on a real context; its broker and its minds are told what to say. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/engine/engine.js';
import type {
  EngineArgs,
  EngineControl,
  EngineToBroker,
  Pieces,
  Run,
  RunDone,
} from '../../../src/actors/engine/protocol.js';
import { createStatus, readLanes, readStatus, Status } from '../../../src/actors/engine/status.js';
import { Band } from '../../../src/runtime/message.js';
import { addon, GENE, greedy, ids, load, TINY } from '../../native/fixtures.js';
import { Party, settled, TestThread } from '../thread.js';

/** What a party hears that is mind and reader in one. */
type Heard = RunDone | Pieces;

let thread: TestThread;
let engine: number;
let broker: Party<EngineControl, EngineToBroker>;
let ada: Party<Run | EngineControl, Heard>;
let ben: Party<Run | EngineControl, Heard>;
let status: Int32Array;

const args = (given: Partial<EngineArgs> = {}): EngineArgs => ({
  model: TINY,
  mmap: false,
  gpuLayers: 0,
  shape: { lanes: 2, cells: 1024, context: 512 },
  rows: 64,
  threads: 1,
  promptThreads: 1,
  flashAttention: true,
  pageBytes: 2 ** 26,
  checkpointBytes: 2 ** 20,
  broker: broker.id,
  owner: 'it',
  status,
  ...given,
});
async function start(given: Partial<EngineArgs> = {}): Promise<void> {
  thread = await TestThread.start();
  status = createStatus();
  broker = await Party.enter(thread, 'broker', () => engine);
  ada = await Party.enter(thread, 'ada', () => engine);
  ben = await Party.enter(thread, 'ben', () => engine);
  engine = await thread.spawn(definition as never, 'engine', args(given));
}
beforeEach(() => start());
afterEach(async () => {
  await thread.stop();
  expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
});

const tokensOf = (text: string): Int32Array => {
  const model = load(TINY);
  const tokens = ids(model, text);
  model.close();
  return tokens;
};
const run = (grant: number, text: string | Int32Array, given: Partial<Run> = {}): Run => ({
  type: 'run',
  grant,
  epoch: 0,
  activity: 'a',
  lane: 0,
  continues: false,
  sharing: 0,
  vacated: 0,
  tokens: typeof text === 'string' ? tokensOf(text) : text,
  genes: [],
  base: 0,
  partings: [],
  sampling: greedy,
  stops: [],
  maxTokens: 20,
  reader: ada.id,
  turn: grant,
  ...given,
});
/** Waits for the end of a party's run; answers it and all its text. */
async function ended(party: Party<Run | EngineControl, Heard>): Promise<RunDone & { whole: string }> {
  const heard: Heard[] = [];
  for (;;) {
    heard.push(...(await party.hears()));
    const done = heard.find((message): message is RunDone => message.type === 'done');
    if (done === undefined) continue;
    const texts = heard.flatMap((message) =>
      message.type === 'pieces' ? message.texts.filter((_, i) => message.grants[i] === done.grant) : [],
    );
    expect(done.text.startsWith(texts.join(''))).toBe(true);
    return { ...done, whole: done.text };
  }
}
type Ran = EngineToBroker & { type: 'ran' };
const ran = async (): Promise<Ran[]> =>
  (await broker.hears()).filter((message): message is Ran => message.type === 'ran');
/** How many tokens the lane of the run that ended last holds. */
const held = async (): Promise<number> => (await ran()).at(-1)?.held ?? -1;
/** The epoch that the engine last said it is up with. */
const epoch = async (): Promise<number> =>
  (await broker.hears()).reduce((last, message) => (message.type === 'up' ? message.epoch : last), -1);
/** Text that the model, going in circles, would never end. */
const ENDLESS = 'And the LORD said';
const endless = (grant: number, given: Partial<Run> = {}): Run =>
  run(grant, ENDLESS, { maxTokens: 400, ...given });

describe('a run', () => {
  it('G4 that names a gene which is not on the device is refused, and the lane is as it was', async () => {
    const model = load(TINY);
    const bytes = readFileSync(GENE);
    const { id } = model.loadGene(bytes, { path: GENE, hash: 'kjv' });
    ada.tell(run(1, 'And', { activity: 'a' }), Band.user);
    const { reply } = await ended(ada);
    const before = await held();
    model.moveGene(id, 'host');
    const continues = { continues: true, genes: [{ gene: id, scale: 1 }] };
    ada.tell(run(2, 'And', continues), Band.user);
    expect(await ended(ada)).toMatchObject({ outcome: 'failed', error: { code: 'GeneAbsent' } });
    expect(await held()).toBe(before);
    const tokens = Int32Array.from([...tokensOf('And'), ...reply]);
    ada.tell(run(3, tokens, { continues: true, maxTokens: 1 }), Band.user);
    expect((await ended(ada)).reused).toBe(before);
    model.unloadGene(id);
    model.close();
  });

  it('E2 is told in pieces and ends with its tokens, counts and what the lane holds', async () => {
    const tokens = tokensOf(ENDLESS);
    ada.tell(run(1, tokens), Band.user);
    const done = await ended(ada);
    expect(done).toMatchObject({
      outcome: 'length',
      produced: 20,
      processed: tokens.length,
      reused: 0,
      error: undefined,
    });
    const model = load(TINY);
    expect(new TextDecoder().decode(model.detokenize(done.reply, false))).toBe(done.whole);
    model.close();
    expect(await ran()).toEqual([
      {
        type: 'ran',
        grant: 1,
        lane: 0,
        activity: 'a',
        held: tokens.length + 19,
        bytes: expect.any(Number),
        stretches: [],
        processed: tokens.length,
        produced: 20,
      },
    ]);
  });

  it('E5 that continues processes what is new, and the last token held back', async () => {
    const tokens = tokensOf(ENDLESS);
    ada.tell(run(1, tokens), Band.user);
    const first = await ended(ada);
    const longer = Int32Array.from([...tokens, ...first.reply, ...tokensOf(' And he went')]);
    ada.tell(run(2, longer, { continues: true }), Band.user);
    const second = await ended(ada);
    expect(second).toMatchObject({
      reused: tokens.length + 19,
      processed: longer.length - tokens.length - 19,
    });
    ben.tell({ ...run(3, longer, { lane: 1, activity: 'b' }), reader: ben.id }, Band.user);
    expect((await ended(ben)).whole).toBe(second.whole);
  });

  it('E5 whose prompt is the same again processes its last token only', async () => {
    const tokens = tokensOf(ENDLESS);
    ada.tell(run(1, tokens), Band.user);
    const first = await ended(ada);
    ada.tell(run(2, tokens, { continues: true }), Band.user);
    expect(await ended(ada)).toMatchObject({ reused: tokens.length - 1, processed: 1, reply: first.reply });
  });

  it('E5 whose prompt has changed keeps the common beginning', async () => {
    const tokens = tokensOf(`${ENDLESS} unto Moses`);
    ada.tell(run(1, tokens), Band.user);
    await ended(ada);
    const changed = Int32Array.from(tokens);
    changed[4] = (changed[4] as number) + 1;
    ada.tell(run(2, changed, { continues: true }), Band.user);
    const second = await ended(ada);
    expect(second).toMatchObject({ reused: 4, processed: tokens.length - 4 });
    ben.tell({ ...run(3, changed, { lane: 1, activity: 'b' }), reader: ben.id }, Band.user);
    expect((await ended(ben)).reply).toEqual(second.reply);
  });

  it('E5 of another activity uses nothing of what the lane held', async () => {
    ada.tell(run(1, ENDLESS), Band.user);
    const first = await ended(ada);
    ben.tell({ ...run(2, ENDLESS, { activity: 'b' }), reader: ben.id }, Band.user);
    expect(await ended(ben)).toMatchObject({ reused: 0, reply: first.reply });
  });

  it('E5 that begins as another lane does shares its cells, and says what that one says with them', async () => {
    const tokens = tokensOf(`${ENDLESS} unto Moses, `.repeat(12));
    ada.tell(run(1, tokens), Band.user);
    await ended(ada);
    ada.tell(run(2, tokens, { continues: true }), Band.user);
    const kept = await ended(ada);
    ben.tell({ ...run(3, tokens, { lane: 1, activity: 'b' }), reader: ben.id }, Band.user);
    const shared = tokens.length - 1;
    expect(await ended(ben)).toMatchObject({ shared, reused: shared, processed: 1, reply: kept.reply });
  });

  it('E2 of one token of room says one token', async () => {
    ada.tell(run(1, ENDLESS, { maxTokens: 1 }), Band.user);
    expect(await ended(ada)).toMatchObject({ produced: 1, outcome: 'length' });
  });
});

describe('a run that is not as granted', () => {
  it.each<[string, Partial<Run>, string, string]>([
    ['continues what the lane does not hold', { continues: true, activity: 'z' }, 'failed', 'LaneMismatch'],
    ['is on no lane', { lane: 9 }, 'failed', 'LaneMismatch'],
    ['was granted by an earlier engine', { epoch: -1 }, 'reclaimed', 'EngineLost'],
  ])('T1 it %s: refused, and the broker hears what the lane holds', async (_what, given, outcome, code) => {
    ada.tell(run(1, ENDLESS), Band.user);
    await ended(ada);
    const before = await held();
    ben.tell({ ...run(2, ENDLESS, given), reader: ben.id }, Band.user);
    expect(await ended(ben)).toMatchObject({
      outcome,
      error: { code },
      begun: false,
      produced: 0,
      whole: '',
    });
    const [heard] = await ran();
    expect(heard).toMatchObject({ grant: 2, ...(given.lane === 9 ? {} : { activity: 'a', held: before }) });
  });

  it('T1 it is on a lane that runs: refused, and the other goes on', async () => {
    ada.tell(endless(1), Band.user);
    await settled();
    ben.tell({ ...run(2, ENDLESS, { activity: 'b' }), reader: ben.id }, Band.user);
    expect(await ended(ben)).toMatchObject({ error: { code: 'LaneMismatch' } });
    expect(await ended(ada)).toMatchObject({ outcome: 'length', produced: 400 });
  });
});

describe('the end of a run by others', () => {
  it('E4 a cancel in decode keeps what was said, and the next run goes on from there', async () => {
    const tokens = tokensOf(ENDLESS);
    ada.tell(endless(1), Band.user);
    await settled(40);
    ada.tell({ type: 'cancel', grant: 1, error: undefined });
    const first = await ended(ada);
    expect(first.outcome).toBe('aborted');
    expect(first.produced).toBeGreaterThan(3);
    const kept = await held();
    expect(kept).toBe(tokens.length + first.reply.length - 1);
    const longer = Int32Array.from([...tokens, ...first.reply]);
    ada.tell(run(2, longer, { continues: true }), Band.user);
    expect(await ended(ada)).toMatchObject({ reused: kept, processed: 1 });
  });

  it('E4 a cancel in the prompt keeps as much of it as was processed', async () => {
    const tokens = tokensOf(`${ENDLESS} unto Moses, `.repeat(30));
    ada.tell(endless(1, { tokens }), Band.user);
    await settled(3);
    ada.tell({ type: 'cancel', grant: 1, error: undefined });
    const first = await ended(ada);
    expect(first).toMatchObject({ outcome: 'aborted', produced: 0, whole: '' });
    expect(first.processed).toBeGreaterThan(0);
    expect(first.processed).toBeLessThan(tokens.length);
    ada.tell(run(2, tokens, { continues: true }), Band.user);
    expect(await ended(ada)).toMatchObject({
      reused: first.processed,
      processed: tokens.length - first.processed,
    });
  });

  it('E4 a cancel that comes before its run refuses it, and leaves the lane alone', async () => {
    ada.tell(run(1, ENDLESS), Band.user);
    await ended(ada);
    const before = await held();
    ada.tell({ type: 'cancel', grant: 2, error: undefined });
    ada.tell(run(2, ENDLESS, { continues: true }), Band.user);
    expect(await ended(ada)).toMatchObject({ outcome: 'aborted', error: undefined, produced: 0 });
    expect(await ran()).toMatchObject([{ grant: 2, activity: 'a', held: before }]);
  });

  it('E4 a cancel changes nothing of what another says', async () => {
    ben.tell({ ...endless(1, { lane: 1, activity: 'b' }), reader: ben.id }, Band.user);
    const alone = await ended(ben);
    ben.tell({ type: 'vacate', epoch: 0, drop: [], claims: [{ lane: 1, activity: 'b', keep: false }] });
    ada.tell(endless(2, { tokens: tokensOf(`${ENDLESS} unto Moses`) }), Band.user);
    ben.tell({ ...endless(3, { lane: 1, activity: 'b' }), reader: ben.id }, Band.user);
    await settled();
    ada.tell({ type: 'cancel', grant: 2, error: undefined });
    expect((await ended(ada)).outcome).toBe('aborted');
    expect((await ended(ben)).whole).toBe(alone.whole);
  });

  it('T6 a grant that is taken back is ended, or said never to have run', async () => {
    const error = { code: 'MindLeft', message: '', detail: { name: 'ada' }, stack: undefined };
    ada.tell(endless(1), Band.user);
    await settled();
    await broker.hears();
    broker.tell({ type: 'revoke', grant: 1, error, leftIn: 'page' });
    expect(await ended(ada)).toMatchObject({ outcome: 'failed', error: { code: 'MindLeft' } });
    expect(await broker.hears()).toMatchObject([{ type: 'ran', grant: 1 }]);
    broker.tell({ type: 'revoke', grant: 2, error, leftIn: 'page' });
    expect(await broker.hears()).toEqual([{ type: 'never-ran', grant: 2 }]);
    ada.tell(run(2, ENDLESS), Band.user);
    expect(await ended(ada)).toMatchObject({ outcome: 'failed', error: { code: 'MindLeft' } });
  });

  it('R4 after a reset all runs have given up their lanes, and earlier grants are void', async () => {
    ada.tell(endless(1), Band.user);
    await settled();
    const before = await epoch();
    broker.tell({ type: 'reset' });
    ben.tell({ ...run(2, ENDLESS, { lane: 1, activity: 'b' }), reader: ben.id }, Band.user);
    const error = { code: 'EngineLost' };
    expect(await ended(ada)).toMatchObject({ outcome: 'reclaimed', begun: true, error });
    expect(await ended(ben)).toMatchObject({ outcome: 'reclaimed', begun: false, error });
    const after = await epoch();
    expect(after).toBeGreaterThan(before);
    expect(readLanes(status).map((lane) => [lane.state, lane.held])).toEqual([
      ['empty', 0],
      ['empty', 0],
    ]);
    ada.tell(run(3, ENDLESS, { epoch: after }), Band.user);
    const { outcome, pagedIn } = await ended(ada);
    expect([outcome, pagedIn.bytes > 0]).toEqual(['length', true]);
  });
});

describe('an idle lane', () => {
  it('T1 is cleared when it holds what is claimed, else left alone', async () => {
    ada.tell(run(1, ENDLESS), Band.user);
    await ended(ada);
    broker.tell({ type: 'vacate', epoch: 0, drop: [], claims: [{ lane: 0, activity: 'b', keep: false }] });
    await settled();
    expect(readLanes(status)[0]?.state).toBe('idle');
    broker.tell({
      type: 'vacate',
      epoch: 0,
      drop: [],
      claims: [
        { lane: 0, activity: 'a', keep: false },
        { lane: 7, activity: 'a', keep: false },
      ],
    });
    await settled();
    expect(readLanes(status)[0]).toMatchObject({ state: 'empty', held: 0, mind: 0 });
    ada.tell(run(2, ENDLESS), Band.user);
    expect(await ended(ada)).toMatchObject({ reused: 0 });
  });

  it('T1 is cleared before a run whose grant counts on it begins, whichever comes first', async () => {
    ada.tell(run(1, ENDLESS), Band.user);
    await ended(ada);
    ada.tell(run(2, ENDLESS, { activity: 'b', lane: 1, vacated: 2 }), Band.user);
    ada.tell(run(3, ENDLESS, { activity: 'c', lane: 2, vacated: 2 }), Band.user);
    ada.tell({ type: 'cancel', grant: 3, error: undefined });
    broker.tell({ type: 'vacate', epoch: 0, drop: [], claims: [] });
    await settled();
    expect(readLanes(status)[1]?.state).toBe('empty');
    broker.tell({ type: 'vacate', epoch: 7, drop: [], claims: [] });
    await settled();
    expect(readLanes(status)[1]?.state).toBe('empty');
    broker.tell({ type: 'vacate', epoch: 0, drop: [], claims: [{ lane: 0, activity: 'a', keep: false }] });
    const ends: RunDone[] = [];
    while (ends.length < 2) {
      ends.push(...(await ada.hears()).filter((message): message is RunDone => message.type === 'done'));
    }
    expect(ends.map(({ grant, outcome }) => `${grant} ${outcome}`).sort()).toEqual(['2 length', '3 aborted']);
    expect(readLanes(status)[0]?.held).toBe(0);
  });

  it('T1 is not cleared while it runs', async () => {
    ada.tell(endless(1), Band.user);
    await settled();
    broker.tell({ type: 'vacate', epoch: 0, drop: [], claims: [{ lane: 0, activity: 'a', keep: false }] });
    expect(await ended(ada)).toMatchObject({ outcome: 'length', produced: 400 });
  });
});

describe('an engine that crashed', () => {
  it('E7 comes back with the same weights, empty lanes and a new epoch', async () => {
    ada.tell(endless(1), Band.user);
    await settled();
    const before = await epoch();
    const holder = addon.attachModel((await thread.ask<{ model: number }>(engine, { type: 'ready' })).model);
    broker.tell({ type: 'vacate', claims: null } as never);
    await thread.pass(10);
    await settled(60);
    const after = await epoch();
    expect(after).toBeGreaterThan(before);
    expect(readLanes(status).map((lane) => lane.state)).toEqual(['empty', 'empty']);
    expect((await thread.ask<{ model: number }>(engine, { type: 'ready' })).model).toBe(holder.info.id);
    ada.tell(run(2, ENDLESS, { epoch: after }), Band.user);
    expect((await ended(ada)).outcome).toBe('length');
    expect(addon.live()).toEqual({ models: 1, contexts: 1, genes: 0 });
    holder.close();
  });
});

describe('cells', () => {
  it('E6 that run out end one run with the numbers, and the other goes on undisturbed', async () => {
    await thread.stop();
    await start({ shape: { lanes: 2, cells: 256, context: 256 }, rows: 32 });
    ben.tell({ ...endless(1, { lane: 1, activity: 'b', maxTokens: 150 }), reader: ben.id }, Band.user);
    const alone = await ended(ben);
    broker.tell({ type: 'vacate', epoch: 0, drop: [], claims: [{ lane: 1, activity: 'b', keep: false }] });
    ada.tell(
      endless(2, { tokens: tokensOf(`${ENDLESS} unto Moses, `.repeat(5)), maxTokens: 150 }),
      Band.user,
    );
    ben.tell({ ...endless(3, { lane: 1, activity: 'b', maxTokens: 150 }), reader: ben.id }, Band.user);
    const [first, second] = await Promise.all([ended(ada), ended(ben)]);
    const [failed, whole] = first.outcome === 'failed' ? [first, second] : [second, first];
    expect(failed).toMatchObject({
      outcome: 'failed',
      error: { code: 'ContextFull', detail: { contextTokens: 256 } },
    });
    expect(whole.outcome).toBe('length');
    if (whole === second) expect(whole.whole).toBe(alone.whole);
    const { needTokens = 0, roomTokens = 0 } = failed.error?.detail ?? {};
    expect(needTokens).toBeGreaterThan(roomTokens as number);
  });
});

describe('what is shown', () => {
  it('R6 lanes, tokens and steps as they go', async () => {
    ada.tell(endless(1), Band.user);
    await settled(10);
    expect(readLanes(status)[0]).toMatchObject({ state: 'running', mind: ada.id });
    const { produced, processed } = await ended(ada);
    expect(readStatus(status, Status.produced)).toBe(produced);
    expect(readStatus(status, Status.processed)).toBe(processed);
    expect(readStatus(status, Status.steps)).toBe(produced);
    expect(readLanes(status)[0]).toMatchObject({ state: 'idle', mind: ada.id });
  });
});
