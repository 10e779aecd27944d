/** Turns that wait for room for their pages; engine, residency and minds are told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { BrokerToMind, MindToBroker, TurnClass } from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker, PageRecord } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import type { BrokerToResidency, ResidencyToBroker } from '../../../src/actors/residency/protocol.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, settled, TestThread } from '../thread.js';

type Mind = Party<MindToBroker, BrokerToMind>;

const GENES = new Map([
  ['a', 1],
  ['b', 2],
]);

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let residency: Party<ResidencyToBroker, BrokerToResidency>;
let ada: Mind;
let ben: Mind;
let cleo: Mind;

/** Two lanes, a slot for a gene, and room for pages of 100 bytes, a byte a token: 50 for each lane. */
beforeEach(async () => {
  thread = await TestThread.start();
  const args = { pageBytes: 100, budgets: UNBOUNDED, status: createStatus() };
  broker = await thread.spawn(definition as never, 'broker', args);
  engine = await Party.enter(thread, 'engine', () => broker);
  residency = await Party.enter(thread, 'residency', () => broker);
  ada = await mind('ada');
  ben = await mind('ben');
  cleo = await mind('cleo');
  residency.tell({ type: 'genes-up', stock: { named: GENES, fixed: [], slots: 1 }, activities: [] });
});

const mind = (name: string): Promise<Mind> => Party.enter(thread, name, () => broker);
const page = (of: Mind, bytes: number): PageRecord => ({
  ...{ activity: `${of.id}/main`, page: 1, held: bytes, bytes },
});
async function up(...pages: PageRecord[]): Promise<void> {
  const shape = { lanes: 2, cells: 200, context: 100 };
  engine.tell({ type: 'up', engine: engine.id, epoch: 0, shape, pages });
  await settled();
}
interface Wanted {
  readonly ticket?: number;
  readonly cells?: number;
  readonly gene?: string;
  readonly class?: TurnClass;
}
function request(of: Mind, { ticket = 1, cells = 60, gene, class: turnClass = 'interactive' }: Wanted): void {
  const genes = gene === undefined ? [] : [{ gene, scale: 1 }];
  of.tell({ type: 'request', ticket, activity: `${of.id}/main`, class: turnClass, cells, genes });
}
async function pin(): Promise<void> {
  for (const message of await residency.hears()) {
    if (message.type !== 'pin') continue;
    const genes = message.genes.map(({ gene, scale }) => ({ name: gene, gene: GENES.get(gene) ?? 0, scale }));
    residency.tell({ type: 'pinned', grant: message.grant, genes, missed: { genes: 0, bytes: 0 } });
  }
}
const ran = (grant: number, lane: number, of?: Mind, bytes = 0): void =>
  engine.tell({
    ...{ type: 'ran', grant, lane, activity: of && `${of.id}/main` },
    ...{ held: bytes, bytes, stretches: [], processed: 1, produced: 1 },
  });
const heard = async (of: Mind) =>
  (await of.hears()).map((message) => (message.type === 'queued' ? message.reason : message.type));

describe('a turn whose page would have no room', () => {
  it('T1 waits for those that go first and have pages, and is granted when they have lanes', async () => {
    await up(page(ben, 30));
    request(ada, { gene: 'a' });
    await pin();
    request(ben, { gene: 'b' });
    request(cleo, {});
    expect([await heard(ada), await heard(ben), await heard(cleo)]).toEqual([
      ['genes', 'granted'],
      ['genes'],
      ['host'],
    ]);
    ran(1, 0);
    await pin();
    expect([await heard(ben), await heard(cleo)]).toEqual([['granted'], ['granted']]);
  });

  it('T1 is granted while no lane is busy, and one whose page could never fit at any time', async () => {
    await up(page(ben, 30));
    request(ada, { gene: 'a' });
    await pin();
    request(ben, { gene: 'b' });
    request(cleo, { cells: 101 });
    expect([(await heard(cleo)).at(-1), await heard(ben)]).toEqual(['granted', ['genes']]);
  });

  it('T1 has its room from pages of those that go after it, which leave when its own is made', async () => {
    await up(page(cleo, 60));
    request(ada, { cells: 80 });
    ran(1, 0, ada, 80);
    request(ben, { gene: 'a' });
    await pin();
    request(ada, { ticket: 2, gene: 'b', class: 'realtime' });
    request(cleo, { gene: 'b' });
    await engine.hears();
    const dora = await mind('dora');
    request(dora, { class: 'realtime' });
    expect(await heard(dora)).toEqual(['granted']);
    const claims = [{ lane: 0, activity: `${ada.id}/main`, keep: true }];
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', claims, drop: [page(cleo, 60)] }]);
  });

  it('T1 takes no page of the turn that gets the lane, which comes in', async () => {
    await up(page(cleo, 60));
    request(ada, { cells: 80 });
    ran(1, 0, ada, 80);
    request(ben, { gene: 'a' });
    await pin();
    request(ada, { ticket: 2, gene: 'b', class: 'realtime' });
    await engine.hears();
    request(cleo, {});
    expect(await heard(cleo)).toEqual(['granted']);
    const claims = [{ lane: 0, activity: `${ada.id}/main`, keep: false }];
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', claims, drop: [] }]);
  });
});
