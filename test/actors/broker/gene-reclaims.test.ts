/** Lanes that the broker takes back for the sake of gene slots; minds, engine and residency are told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { BrokerToMind, MindToBroker, TurnClass } from '../../../src/actors/broker/protocol.js';
import { FAIR_MS, FAIR_TOKENS } from '../../../src/actors/broker/reclaim-rule.js';
import { emptyLane, type RunOnLane } from '../../../src/actors/engine/lane.js';
import type { EngineControl, EngineToBroker } from '../../../src/actors/engine/protocol.js';
import { createStatus, showLane } from '../../../src/actors/engine/status.js';
import type { BrokerToResidency, ResidencyToBroker } from '../../../src/actors/residency/protocol.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, TestThread } from '../thread.js';

const GENES = new Map([...'abcde'].map((name, i) => [name, i + 1]));
type Mind = Party<MindToBroker, BrokerToMind>;

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let residency: Party<ResidencyToBroker, BrokerToResidency>;
let status: Int32Array;

/** Four lanes, and two slots. */
beforeEach(async () => {
  thread = await TestThread.start();
  status = createStatus();
  const args = { pageBytes: 1_000, budgets: UNBOUNDED, status };
  broker = await thread.spawn(definition as never, 'broker', args);
  engine = await Party.enter(thread, 'engine', () => broker);
  residency = await Party.enter(thread, 'residency', () => broker);
  const shape = { lanes: 4, cells: 1_000, context: 1_000 };
  engine.tell({ type: 'up', engine: engine.id, epoch: 0, shape, pages: [] });
  residency.tell({ type: 'genes-up', stock: { named: GENES, fixed: [], slots: 2 }, activities: [] });
});

const mind = (name: string): Promise<Mind> => Party.enter(thread, name, () => broker);
function request(of: Mind, turnClass: TurnClass, ...genes: string[]): void {
  const phenotype = genes.map((gene) => ({ gene, scale: 1 }));
  const what = { ticket: 1, activity: `${of.id}/main`, class: turnClass, cells: 100, genes: phenotype };
  of.tell({ type: 'request', ...what });
}
/** The residency has what it was asked for; answers for which grants. */
async function pin(): Promise<number[]> {
  const asked = (await residency.hears()).flatMap((message) => (message.type === 'pin' ? [message] : []));
  for (const { grant, genes } of asked) {
    const pinned = genes.map(({ gene, scale }) => ({ name: gene, gene: GENES.get(gene) ?? 0, scale }));
    residency.tell({ type: 'pinned', grant, genes: pinned, missed: { genes: 0, bytes: 0 } });
  }
  return asked.map(({ grant }) => grant);
}
/** A mind whose turn runs these; its grant. */
async function runs(name: string, turnClass: TurnClass, ...genes: string[]): Promise<[Mind, number]> {
  const of = await mind(name);
  request(of, turnClass, ...genes);
  const [grant] = await pin();
  expect((await of.hears()).at(-1)?.type).toBe('granted');
  return [of, grant as number];
}
const ran = (grant: number, lane: number): void =>
  engine.tell({
    ...{ type: 'ran', grant, lane, activity: undefined },
    ...{ held: 0, bytes: 0, stretches: [], processed: 1, produced: 1 },
  });
const heard = async (of: Mind) => (await of.hears()).map(({ type }) => type);

describe('a turn that waits for gene slots alone', () => {
  it('T5 gets those of a lower class after a second, from the turn whose going makes room', async () => {
    const [ada] = await runs('ada', 'background', 'a');
    const [ben, grant] = await runs('ben', 'background', 'b');
    const [cleo] = await runs('cleo', 'background', 'a');
    const dora = await mind('dora');
    request(dora, 'interactive', 'c');
    await thread.pass(999);
    expect(await heard(ben)).toEqual([]);
    await thread.pass(1_001);
    expect([await heard(ada), await heard(ben), await heard(cleo)]).toEqual([[], ['reclaim'], []]);
    ran(grant, 1);
    await pin();
    expect(await heard(dora)).toEqual(['queued', 'granted']);
  });

  it('T5 gets those of its class when that one has had its tokens and its time', async () => {
    const [ada] = await runs('ada', 'interactive', 'a', 'b');
    const ben = await mind('ben');
    request(ben, 'interactive', 'c');
    await thread.pass(FAIR_MS + 2_000);
    expect(await heard(ada)).toEqual([]);
    showLane(status, { ...emptyLane(0), run: { produced: FAIR_TOKENS, before: 0 } as RunOnLane }, undefined);
    await thread.pass(1_000);
    expect(await heard(ada)).toEqual(['reclaim']);
  });

  it('T5 keeps what comes free from those that came later', async () => {
    const [, first] = await runs('ada', 'background', 'a');
    const [, second] = await runs('ben', 'background', 'b');
    const cleo = await mind('cleo');
    request(cleo, 'interactive', 'c', 'd');
    await thread.pass(2_000);
    ran(first, 0);
    const dora = await mind('dora');
    request(dora, 'interactive', 'e');
    expect(await heard(dora)).toEqual(['queued']);
    ran(second, 1);
    expect(await pin()).toEqual([3]);
    expect(await heard(cleo)).toEqual(['queued', 'granted']);
  });

  it('T5 for which nobody gives way holds no lane back from the next that lacks one', async () => {
    const [ada] = await runs('ada', 'interactive', 'a', 'b');
    const others = [];
    for (const name of ['ben', 'cleo', 'dora']) {
      const other = await mind(name);
      request(other, 'background');
      others.push(other);
    }
    const [eve, fay] = [await mind('eve'), await mind('fay')];
    request(eve, 'interactive', 'c');
    request(fay, 'interactive');
    await thread.pass(3_000);
    expect(await heard(ada)).toEqual([]);
    const told = await Promise.all(others.map(async (other) => (await heard(other)).includes('reclaim')));
    expect(told.filter(Boolean)).toHaveLength(1);
  });
});
