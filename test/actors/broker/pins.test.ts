/** The broker and the genes of what it grants; minds, engine and residency are told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type {
  BrokerToMind,
  BrokerToPager,
  MindToBroker,
  PagerToBroker,
} from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import type { BrokerToResidency, ResidencyToBroker } from '../../../src/actors/residency/protocol.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, TestThread } from '../thread.js';

const GENES = { a: 1, b: 2, c: 3 };
type Name = keyof typeof GENES;

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let residency: Party<ResidencyToBroker, BrokerToResidency>;
let ada: Party<MindToBroker, BrokerToMind>;
let ben: Party<MindToBroker, BrokerToMind>;

beforeEach(async () => {
  thread = await TestThread.start();
  broker = await thread.spawn(definition as never, 'broker', {
    pageBytes: 1000,
    budgets: UNBOUNDED,
    status: createStatus(),
  });
  const to = () => broker;
  engine = await Party.enter(thread, 'engine', to);
  residency = await Party.enter(thread, 'residency', to);
  ada = await Party.enter(thread, 'ada', to);
  ben = await Party.enter(thread, 'ben', to);
  up();
  residency.tell({ type: 'genes-up', stock: stock(), activities: [] });
});

const up = (epoch = 1): void => {
  const shape = { lanes: 2, cells: 1000, context: 1000 };
  engine.tell({ type: 'up', engine: engine.id, epoch, shape, pages: [] });
};
const stock = (slots = 1, names: Name[] = ['a', 'b', 'c'], fixed: number[] = []) => ({
  named: new Map(names.map((name) => [name, GENES[name]])),
  ...{ fixed, slots },
});
const named = (...genes: Name[]) => genes.map((gene) => ({ gene, scale: 1 }));
const request = (mind: typeof ada, ticket: number, ...genes: Name[]): void => {
  const activity = `${mind.id}/${ticket}`;
  mind.tell({ type: 'request', ticket, activity, class: 'interactive', cells: 100, genes: named(...genes) });
};
const missed = { genes: 0, bytes: 0 };
const pinned = (grant: number, ...names: Name[]) => {
  const genes = names.map((name) => ({ name, gene: GENES[name], scale: 1 }));
  residency.tell({ type: 'pinned', grant, genes, missed });
  return { genes, missed };
};
const ran = (grant: number, lane = 0): void =>
  engine.tell({
    type: 'ran',
    grant,
    lane,
    activity: undefined,
    held: 0,
    bytes: 0,
    stretches: [],
    processed: 1,
    produced: 1,
  });
/** The grant that the residency was asked to pin for. */
async function toPin(...names: Name[]): Promise<number> {
  const [pin] = await residency.hears();
  expect(pin).toMatchObject({ type: 'pin', genes: named(...names) });
  return (pin as { grant: number }).grant;
}
async function granted(mind: typeof ada, ticket: number, ...genes: Name[]): Promise<number> {
  request(mind, ticket, ...genes);
  const grant = await toPin(...genes);
  pinned(grant, ...genes);
  expect((await mind.hears()).at(-1)).toMatchObject({ type: 'granted', ticket, grant });
  return grant;
}

describe('a grant with genes', () => {
  it('R4 has a residency say what it is when it has only heard of its genes', async () => {
    const other = await Party.enter<ResidencyToBroker, BrokerToResidency>(thread, 'other', () => broker);
    other.tell({ type: 'stock', stock: stock() });
    expect(await other.hears()).toEqual([{ type: 'forget' }]);
    other.tell({ type: 'genes-up', stock: stock(), activities: [] });
    other.tell({ type: 'stock', stock: stock() });
    expect(await other.hears()).toEqual([]);
    request(ada, 1, 'a');
    expect(await other.hears()).toMatchObject([{ type: 'pin' }]);
  });

  it('T1 is told when its genes are pinned, with what they came to', async () => {
    request(ada, 1, 'a');
    const grant = await toPin('a');
    expect(await ada.hears()).toEqual([{ type: 'queued', ticket: 1, reason: 'genes' }]);
    const phenotype = pinned(grant, 'a');
    expect(await ada.hears()).toMatchObject([{ type: 'granted', ticket: 1, grant, phenotype }]);
    ran(grant);
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant }]);
  });

  it('T1 waits, and holds nothing, while there are slots for those of another only', async () => {
    const grant = await granted(ada, 1, 'a');
    request(ben, 1, 'b');
    expect(await ben.hears()).toEqual([{ type: 'queued', ticket: 1, reason: 'genes' }]);
    request(ada, 2, 'a');
    expect(await residency.hears()).toMatchObject([{ type: 'pin', grant: 3 }]);
    ran(grant);
    residency.tell({ type: 'unpinned', grant: 3, error: { code: 'X', message: '', detail: {}, stack: '' } });
    expect(await residency.hears()).toMatchObject([
      { type: 'unpin', grant },
      { type: 'unpin', grant: 3 },
      { type: 'pin', genes: named('b') },
    ]);
  });

  it('B6 of more genes than slots is refused at once, with the numbers, though no lane is free', async () => {
    request(ben, 1);
    request(ben, 2);
    await ben.hears();
    request(ada, 1, 'a', 'b');
    expect(await ada.hears()).toMatchObject([
      { type: 'refused', error: { code: 'GeneSlotsFull', detail: { neededGenes: 2, slots: 1 } } },
    ]);
    residency.tell({ type: 'stock', stock: stock(2, ['a', 'b', 'c'], [GENES.c]) });
    request(ada, 2, 'a', 'b');
    expect(await ada.hears()).toMatchObject([{ type: 'refused', error: { detail: { neededGenes: 3 } } }]);
    request(ada, 3, 'c', 'b');
    expect(await ada.hears()).toMatchObject([{ type: 'queued' }]);
  });

  it('G1 of a name that means nothing is refused, also when it did when the turn came', async () => {
    const grant = await granted(ada, 1, 'a');
    residency.tell({ type: 'stock', stock: stock(1, ['a', 'b']) });
    request(ben, 1, 'c');
    expect(await ben.hears()).toMatchObject([{ type: 'refused', error: { code: 'NoSuchGene' } }]);
    request(ben, 2, 'b');
    residency.tell({ type: 'stock', stock: stock(1, ['a']) });
    expect(await ben.hears()).toMatchObject([{ type: 'queued' }, { type: 'refused', ticket: 2 }]);
    ran(grant);
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant }]);
  });

  it('G1 with two names of one gene is refused before it has a lane, with both names', async () => {
    const names = new Map([...Object.entries(GENES), ['d', GENES.b]]);
    residency.tell({ type: 'stock', stock: { ...stock(2), named: names } });
    request(ada, 1, 'b', 'd' as Name);
    const error = {
      code: 'BadArgument',
      message: expect.stringContaining('b and d are two names of the same gene'),
    };
    expect(await ada.hears()).toMatchObject([{ type: 'refused', ticket: 1, error }]);
    expect(await residency.hears()).toEqual([]);
  });

  it('G1 whose name came to stand for another gene meanwhile holds that one', async () => {
    request(ada, 1, 'a');
    const grant = await toPin('a');
    residency.tell({ type: 'stock', stock: { ...stock(), named: new Map([['a', 7]]) } });
    residency.tell({ type: 'pinned', grant, genes: [{ name: 'a', gene: 7, scale: 1 }], missed });
    request(ben, 1, 'a');
    await toPin('a');
  });

  it('T1 whose genes do not come gives its lane back for a while, and is tried again', async () => {
    request(ada, 1, 'a');
    const grant = await toPin('a');
    request(ben, 1);
    request(ben, 2);
    expect(await ben.hears()).toMatchObject([{ type: 'granted' }, { type: 'queued', reason: 'lane' }]);
    await thread.pass(5_000);
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant }]);
    expect(await ben.hears()).toMatchObject([{ type: 'granted', ticket: 2 }]);
    ran(3);
    await thread.pass(4_000);
    expect(await residency.hears()).toEqual([]);
    await thread.pass(2_000);
    await toPin('a');
    expect(await ada.hears()).toEqual([{ type: 'queued', ticket: 1, reason: 'genes' }]);
  });

  it('P5 whose page has gone to disk alone meanwhile waits for that to be read', async () => {
    const pager = await Party.enter<PagerToBroker, BrokerToPager>(thread, 'pager', () => broker);
    const activity = `${ada.id}/1`;
    const record = { activity, page: 7, held: 10, bytes: 100 };
    const said = { activity, mind: ada.id, held: 10, bytes: 100, said: 0, lent: false };
    const file = { name: 'ada/1', generation: 1, time: 0, fingerprint: '', cells: 10, bytes: 100 };
    engine.tell({ type: 'paged', record });
    pager.tell({ type: 'disk', word: { type: 'filed', file: { ...said, file }, page: 7, drop: false } });
    request(ada, 1, 'a');
    const grant = await toPin('a');
    engine.tell({ type: 'unpaged', activity, page: 7 });
    pinned(grant, 'a');
    expect(await ada.hears()).toEqual([
      { type: 'queued', ticket: 1, reason: 'genes' },
      { type: 'queued', ticket: 1, reason: 'disk', on: pager.id },
    ]);
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant }]);
    const [read] = await pager.hears();
    expect(read).toMatchObject({ type: 'read', file: { activity } });
    const word = { type: 'read' as const, read: 1, record: { ...record, page: 8 }, ms: 1 };
    pager.tell({ type: 'disk', word });
    await toPin('a');
  });

  it('T1 for which the residency has no room after all gives its lane back', async () => {
    request(ada, 1, 'a');
    residency.tell({ type: 'short', grant: await toPin('a') });
    request(ben, 1);
    request(ben, 2);
    expect(await ben.hears()).toMatchObject([{ type: 'granted' }, { type: 'granted' }]);
  });

  it('E4 that is withdrawn while its genes come holds neither lane nor genes', async () => {
    request(ada, 1, 'a');
    const grant = await toPin('a');
    ada.tell({ type: 'withdraw', ticket: 1 });
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant }]);
    pinned(grant, 'a');
    await granted(ben, 1, 'b');
  });

  it('T6 of a mind that is gone lets go of its genes at once, and of its lane when the engine has ended it', async () => {
    const grant = await granted(ada, 1, 'a');
    request(ada, 2, 'a');
    const coming = await toPin('a');
    ada.end();
    expect(await residency.hears()).toEqual([
      { type: 'unpin', grant },
      { type: 'unpin', grant: coming },
      { type: 'left', mind: ada.id },
    ]);
    expect(await engine.hears()).toMatchObject([{ type: 'revoke', grant }]);
    await granted(ben, 1, 'b');
  });

  it('E7 whose genes are coming when the engine goes waits for the next, and pins anew', async () => {
    request(ada, 1, 'a');
    const grant = await toPin('a');
    engine.end();
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant }]);
    pinned(grant, 'a');
    await ada.hears();
    engine = await Party.enter(thread, 'engine again', () => broker);
    up(2);
    pinned(await toPin('a'), 'a');
    expect((await ada.hears()).at(-1)).toMatchObject({ type: 'granted', ticket: 1, epoch: 2 });
  });

  it('G6 that runs none after one that did says so', async () => {
    const grant = await granted(ada, 1, 'a');
    ran(grant);
    await residency.hears();
    request(ada, 1);
    expect(await residency.hears()).toEqual([{ type: 'bare', activity: `${ada.id}/1` }]);
    ran(2);
    request(ada, 1);
    expect(await residency.hears()).toEqual([]);
  });
});

describe('a question who holds a gene', () => {
  it('G2 goes to the minds that do, and is answered when each has said which turns are over', async () => {
    const grant = await granted(ada, 1, 'a');
    const other = await granted(ben, 7, 'a');
    await ada.hears();
    residency.tell({ type: 'confirm', question: 5, gene: GENES.a });
    expect(await ada.hears()).toEqual([{ type: 'confirm', question: 5, tickets: [1] }]);
    expect(await ben.hears()).toEqual([{ type: 'confirm', question: 5, tickets: [7] }]);
    ada.tell({ type: 'confirmed', question: 5, over: [1] });
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant }]);
    ben.tell({ type: 'confirmed', question: 5, over: [] });
    expect(await residency.hears()).toEqual([{ type: 'confirmed', question: 5 }]);
    ran(other);
    expect(await residency.hears()).toEqual([{ type: 'unpin', grant: other }]);
  });

  it('G2 is answered at once when none does, and by the end of a mind that did', async () => {
    residency.tell({ type: 'confirm', question: 1, gene: GENES.a });
    expect(await residency.hears()).toEqual([{ type: 'confirmed', question: 1 }]);
    await granted(ada, 1, 'a');
    residency.tell({ type: 'confirm', question: 2, gene: GENES.a });
    expect(await residency.hears()).toEqual([]);
    ada.end();
    expect((await residency.hears()).at(-1)).toEqual({ type: 'confirmed', question: 2 });
  });
});

describe('those that are started again', () => {
  it('R4 a residency is told anew what grants hold, and what they wait for', async () => {
    residency.tell({ type: 'stock', stock: stock(2) });
    const grant = await granted(ada, 1, 'a');
    request(ben, 1, 'b');
    const coming = await toPin('b');
    residency.tell({ type: 'genes-up', stock: stock(2), activities: [] });
    expect(await residency.hears()).toMatchObject([
      { type: 'hold', grant, genes: [{ gene: GENES.a }] },
      { type: 'pin', grant: coming, genes: named('b') },
    ]);
  });

  it('R4 a broker has the residency let go of all when the engine has, and grants again then', async () => {
    await granted(ada, 1, 'a');
    engine.tell({ type: 'up', engine: engine.id, epoch: 9, shape: null, pages: [] } as never);
    await thread.pass(10);
    expect((await residency.hears()).filter(({ type }) => type === 'forget')).toEqual([]);
    up(10);
    expect((await residency.hears()).at(-1)).toEqual({ type: 'forget' });
    request(ben, 1, 'b');
    expect(await ben.hears()).toMatchObject([{ type: 'queued', reason: 'genes' }]);
    residency.tell({ type: 'genes-up', stock: stock(), activities: [] });
    await toPin('b');
  });

  it('G6 R4 a broker says of activities that ran genes before it that they run none, or that their minds have left', async () => {
    const activities = [`${ada.id}/1`, `${ben.id}/main`, '999999/main'];
    residency.tell({ type: 'genes-up', stock: stock(), activities });
    expect(await residency.hears()).toEqual([{ type: 'left', mind: 999_999 }]);
    request(ada, 1);
    ben.end();
    expect(await residency.hears()).toEqual([
      { type: 'bare', activity: `${ada.id}/1` },
      { type: 'left', mind: ben.id },
    ]);
  });

  it('T1 E7 is not granted by what was said of its pins before its engine was started again', async () => {
    request(ada, 1, 'a');
    const before = await toPin('a');
    up(2);
    pinned(before, 'a');
    const [unpin, pin] = await residency.hears();
    expect(unpin).toEqual({ type: 'unpin', grant: before });
    expect((await ada.hears()).map(({ type }) => type)).not.toContain('granted');
    const { grant } = pin as { grant: number };
    pinned(grant, 'a');
    expect(await ada.hears()).toMatchObject([{ type: 'granted', grant, epoch: 2 }]);
  });

  it('T1 G1 waits anew for the gene that its name has come to stand for meanwhile', async () => {
    request(ada, 1, 'a');
    const before = await toPin('a');
    const replaced = { named: new Map([['a', 9]]), fixed: [9], slots: 1 };
    residency.tell({ type: 'stock', stock: replaced });
    residency.tell({ type: 'short', grant: before });
    await thread.pass(6_000);
    expect((await residency.hears()).map(({ type }) => type)).toEqual(['unpin', 'pin']);
  });
});
