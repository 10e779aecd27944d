/** What a turn is granted, on real threads: its genes with its lane, or neither; and what those who die leave to others. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Mind, Troupe } from '../../src/index.js';
import {
  actorOf,
  begun,
  circling,
  ENDLESS,
  folder,
  geneFile,
  greedy,
  probesOf,
  startTroupe,
  systemOf,
  until,
  writeLongModel,
} from './stage.js';

const GENES = ['kjv', 'melville'] as const;
const SAYING = 'Tell me about the sea.';
const say = { maxTokens: 12, sampling: greedy };
/** Longer than what others leave may take to come free, and an end to a test in which it never does. */
const DEADLINE_MS = 30_000;

const CONTEXT = 8_192;
let place: ReturnType<typeof folder>;
let troupe: Troupe;
let minds: Mind[];
beforeAll(async () => {
  place = folder();
  const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  troupe = await startTroupe({ model, lanes: 2, context: CONTEXT, genes: { slots: 1 } });
});
afterAll(async () => {
  await troupe.stop();
  place[Symbol.dispose]();
});
beforeEach(async () => {
  for (const gene of GENES) {
    await troupe.genes.load(geneFile(gene), { name: gene });
  }
  minds = await Promise.all(GENES.map((gene) => troupe.mind(gene, { genes: [{ gene, scale: 1 }] })));
});
afterEach(async () => {
  for (const mind of minds) await mind.leave();
});

const both = (): [Mind, Mind] => minds as [Mind, Mind];
/** A turn that goes on until it is ended: under so little of the mind's gene the model circles, as it does alone. */
const hold = (mind: Mind) =>
  mind.turn(ENDLESS, {
    ...{ room: 'held', maxTokens: 7_000, sampling: circling },
    genes: [{ gene: mind.name, scale: 1e-6 }],
  });

/** A message of a mind's that it cannot handle. */
const crash = (mind: Mind) =>
  systemOf(troupe).tell(mind.id, {
    type: 'turn',
    turn: 0,
    room: 'x',
    text: 'x',
    deadlineMs: 5n,
    calledAt: 0,
  });

describe('room for one gene', () => {
  it('case-10 two minds with different genes take turns, and all of their turns settle as they do alone', async () => {
    const alone: string[] = [];
    for (const mind of minds) alone.push((await mind.turn(SAYING, { ...say, room: 'alone' }).result).text);
    expect(alone[0]).not.toBe(alone[1]);
    const rooms = Array.from({ length: 4 }, (_, i) => `${i}`);
    const turns = rooms.flatMap((room) => minds.map((mind) => mind.turn(SAYING, { ...say, room })));
    const results = await Promise.all(turns.map(({ result }) => result));
    expect(results.map(({ text }) => text)).toEqual(rooms.flatMap(() => alone));
    expect((await troupe.genes.stats()).pagedInOnDemand).toBeGreaterThan(0);
  });

  it('T3 a turn that has none for its gene says so once, on a probe and its receipt, though a lane is free', async () => {
    const [kjv, melville] = both();
    const held = hold(kjv);
    await begun(held);
    using waits = probesOf(troupe, 'turn.waiting');
    const waiting = melville.turn(SAYING, say);
    const seen = () => waits.seen.filter(({ mind }) => mind === 'melville');
    await until(() => seen().length > 0, 'a wait');
    const shown = () => troupe.inspect().actors.find(({ id }) => id === melville.id)?.waitsFor;
    await until(() => shown() !== undefined, 'a wait that is shown');
    expect(shown()).toMatchObject({ reason: 'genes', on: actorOf(troupe, 'broker') });
    held.cancel();
    const { receipt } = await waiting.result;
    expect(Object.keys(receipt.waits)).toEqual(['genes']);
    expect(seen().map(({ room, reason }) => [room, reason])).toEqual([['main', 'genes']]);
  });

  it('T1 a turn of other genes goes on beside one that waits for room', async () => {
    const [kjv, melville] = both();
    const held = hold(kjv);
    await begun(held);
    const waiting = melville.turn(SAYING, say);
    await using plain = await troupe.mind('plain', { genes: [] });
    expect((await plain.turn(SAYING, say).result).outcome).toBe('length');
    held.cancel();
    expect((await waiting.result).outcome).toBe('length');
  });
});

describe('a mind that dies in mid-turn', () => {
  it.each([
    ['and starts again', 1],
    ['for good', 6],
  ])('T6 %s leaves lane and genes to who waits for them', async (_, crashes) => {
    const [kjv, melville] = both();
    const held = hold(kjv);
    await begun(held);
    const waiting = melville.turn(SAYING, { ...say, deadline: DEADLINE_MS });
    for (let i = 0; i < crashes; i++) crash(kjv);
    expect((await held.result).outcome).toBe('failed');
    expect((await waiting.result).outcome).toBe('length');
    await troupe.genes.unload('kjv');
  });
});
