/** Rooms that leave their lanes and come back: what a mind says and reads anew is as if it had never left. */
import { afterEach, describe, expect, it } from 'vitest';
import { NoSuchPage, type Troupe, type TroupeOptions, type TurnResult } from '../../src/index.js';
import { Band } from '../../src/runtime/message.js';
import { addon } from '../native/fixtures.js';
import { clear, sharedTroupe } from './shared.js';
import { actorOf, begun, circling, ENDLESS, geneFile, greedy, systemOf, until } from './stage.js';
import { ran, say } from './talk.js';

let troupe: Troupe;
afterEach(async () => {
  await clear();
  await until(() => addon.pages.usage().count === 0, 'a store without pages');
});

const start = async (lanes: number, options: TroupeOptions = {}): Promise<void> => {
  troupe = await sharedTroupe(lanes, options);
};
const SAYINGS = ['Tell me about the sea.', 'And the ship?', 'Who was aboard?'];
const lanes = () => troupe.inspect().lanes.map(({ state, held }) => [state, held > 0]);
/** A conversation of two minds that take turns, on so many lanes. */
async function duet(lanes: number, options?: TroupeOptions): Promise<TurnResult[]> {
  await start(lanes, options);
  const minds = await Promise.all(
    ['ada', 'ben'].map((name) => troupe.mind(name, { system: `You are ${name}.` })),
  );
  const results: TurnResult[] = [];
  for (const text of SAYINGS) for (const mind of minds) results.push(await say(mind, text));
  return results;
}

describe('minds that share a lane', () => {
  it('P2 go on from their pages: the same words, and only what is new is read', async () => {
    const apart = await duet(2);
    await clear();
    const shared = await duet(1);
    expect(shared.map(({ text }) => text)).toEqual(apart.map(({ text }) => text));
    const work = (results: TurnResult[]) =>
      results.slice(2).map((result) => [ran(result).processed, ran(result).reused]);
    expect(work(shared)).toEqual(work(apart));
    for (const result of shared.slice(2)) expect(ran(result).pagedIn.bytes).toBeGreaterThan(0);
    for (const result of apart) expect(ran(result).pagedIn).toEqual({ bytes: 0, ms: 0 });
    expect(await troupe.pages.list()).toMatchObject([{ mind: 'ada', room: 'main' }]);
  });

  it('T6 leave no pages behind', async () => {
    await start(1);
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    await say(ada, 'One.');
    await say(ben, 'Two.');
    expect(await troupe.pages.list()).toHaveLength(1);
    await ada.leave();
    await until(() => addon.pages.usage().count === 0, 'a store without pages');
    expect(await troupe.pages.list()).toEqual([]);
  });

  it('P3 with other genes than before, a room does not go on from its page', async () => {
    await start(1);
    const kjv = geneFile('kjv');
    await troupe.genes.load(kjv, { name: 'kjv' });
    const [ada, ben] = [
      await troupe.mind('ada', { genes: [{ gene: 'kjv', scale: 1 }] }),
      await troupe.mind('ben'),
    ];
    await say(ada, 'One.');
    await say(ben, 'Two.');
    const again = await say(ada, 'Three.');
    expect(ran(again).reused).toBeGreaterThan(0);
    await say(ben, 'Four.');
    const other = await ada.turn('Five.', { maxTokens: 4, sampling: greedy, genes: [] }).result;
    expect(ran(other)).toMatchObject({ reused: 0, pagedIn: { bytes: 0 } });
  });
});

describe('a mind that is told to', () => {
  it('P1 leaves its lane, P2 comes back into one, and goes on there', async () => {
    await start(2);
    const ada = await troupe.mind('ada');
    await say(ada, 'One.', 'parlour');
    const out = await ada.pageOut({ room: 'parlour' });
    expect(out.bytes).toBeGreaterThan(0);
    expect(lanes()).toEqual([
      ['empty', false],
      ['empty', false],
    ]);
    const [page] = await troupe.pages.list();
    expect(page).toMatchObject({ mind: 'ada', room: 'parlour', bytes: out.bytes });
    expect(addon.pages.usage().bytes).toBe(out.bytes);
    expect(await ada.pageIn({ room: 'parlour' })).toMatchObject({ bytes: out.bytes });
    expect(lanes()).toEqual([
      ['idle', true],
      ['empty', false],
    ]);
    expect(await troupe.pages.list()).toEqual([]);
    expect(await ada.pageIn({ room: 'parlour' })).toMatchObject({ bytes: 0 });
    const next = await say(ada, 'Two.', 'parlour');
    expect(ran(next).reused).toBe(page?.tokens);
  });

  it('P1 leaves after the turn that runs', async () => {
    await start(1);
    const ada = await troupe.mind('ada');
    const turn = ada.turn(ENDLESS, { maxTokens: 100, sampling: circling });
    await begun(turn);
    const out = ada.pageOut();
    expect(await turn.result).toMatchObject({ outcome: 'length' });
    expect((await out).bytes).toBeGreaterThan(0);
    expect(await troupe.pages.list()).toMatchObject([{ mind: 'ada' }]);
  });

  it('P1 is refused where it holds nothing, and P2 where it has no page, by its name', async () => {
    await start(1);
    const ada = await troupe.mind('ada');
    await expect(ada.pageOut()).rejects.toMatchObject({ code: 'EmptyLane', detail: { name: 'ada/main' } });
    await expect(ada.pageIn()).rejects.toMatchObject({ code: 'NoSuchPage', detail: { name: 'ada/main' } });
    await expect(troupe.pages.drop('ada')).rejects.toThrow(NoSuchPage);
    await expect(troupe.pages.drop('nobody')).rejects.toThrow(NoSuchPage);
  });

  it('P2 gives its page up, and reads its conversation anew', async () => {
    await start(1);
    const ada = await troupe.mind('ada');
    await say(ada, 'One.');
    await ada.pageOut();
    await troupe.pages.drop('ada');
    await until(() => addon.pages.usage().count === 0, 'a store without pages');
    expect(ran(await say(ada, 'Two.')).reused).toBe(0);
  });

  it('P1 within its deadline, or not at all', async () => {
    await start(1);
    const ada = await troupe.mind('ada');
    const turn = ada.turn(ENDLESS, { maxTokens: 400, sampling: circling });
    await begun(turn);
    const late = ada.pageOut({ deadline: 1 });
    await expect(late).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    await turn.result;
    expect(lanes()).toEqual([['idle', true]]);
    expect(await ada.pageOut()).toMatchObject({ ms: expect.any(Number) });
  });
});

describe('an engine that was lost', () => {
  it('E7 left its pages, and minds go on from them', async () => {
    await start(1);
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    await say(ada, 'One.');
    await say(ben, 'Two.');
    const message = { type: 'vacate', claims: null };
    systemOf(troupe).tell(actorOf(troupe, 'engine'), message, { band: Band.reserved });
    // A turn that is called before the broker knows is lost with the engine.
    const call = () => ben.turn('Three.', { maxTokens: 16, sampling: greedy }).result;
    let lost = await call();
    while (lost.error?.code === 'EngineLost') lost = await call();
    expect(ran(lost).reused).toBe(0);
    const kept = await say(ada, 'Four.');
    expect(ran(kept).pagedIn.bytes).toBeGreaterThan(0);
    expect(ran(kept).reused).toBeGreaterThan(0);
  });
});

describe('memory for pages', () => {
  it('P1 minds read their conversations anew where there is room for none', async () => {
    const [first, , second] = await duet(1, { memory: { pages: 0 } });
    expect(ran(second as TurnResult)).toMatchObject({ reused: 0, pagedIn: { bytes: 0 } });
    expect(ran(second as TurnResult).processed).toBeGreaterThan(ran(first as TurnResult).processed);
    expect(await troupe.pages.list()).toEqual([]);
  });

  it('P1 a mind that would go over the ceiling is refused, and keeps its lane', async () => {
    await start(1, { memory: { pages: 4096 } });
    const ada = await troupe.mind('ada');
    const { receipt } = await say(ada, 'One.');
    await expect(ada.pageOut()).rejects.toMatchObject({
      code: 'OverCeiling',
      detail: { ceilingBytes: 4096 },
    });
    const next = await say(ada, 'Two.');
    expect(ran(next).reused).toBeGreaterThanOrEqual(receipt.promptTokens);
  });
});
