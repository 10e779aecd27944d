/** Pages that were read for the broker, whose word of them is lost with the pager; the pages are of the process's store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BrokerToPager, DiskWord, PagerToBroker } from '../../../src/actors/broker/protocol.js';
import { pagerOver } from '../../../src/actors/pager/pager.js';
import { loadAddon } from '../../../src/native/load.js';
import { SectionKind } from '../../../src/native/pages.js';
import type { PagesJob } from '../../../src/pages/job.js';
import { Party, settled, TestThread } from '../thread.js';

const file = { name: 'ada/main', generation: 1, time: 0, fingerprint: '', cells: 1, bytes: 100 };
const { pages } = loadAddon();

let pager: number;
let broker: Party<BrokerToPager | { readonly type: 'leases-again' }, PagerToBroker>;
let page: number;

async function run(job: PagesJob): Promise<never> {
  if (job.what === 'open') return { owned: { path: '/pages', lock: 1 }, damaged: [] } as never;
  if (job.what === 'list') return { pages: [file], damaged: [] } as never;
  const sections = [{ kind: SectionKind.kv, bytes: 100 }];
  page = pages.create({ fingerprint: 'none', cells: 1, sections });
  return { ...file, page, charged: 100 } as never;
}

const words = async (): Promise<DiskWord[]> => {
  await settled(60);
  return (await broker.hears()).flatMap((message) => (message.type === 'disk' ? [message.word] : []));
};

describe('a pager that is lost over the broker’s word of a page that it has read', () => {
  beforeEach(async () => {
    const thread = await TestThread.start();
    broker = await Party.enter(thread, 'broker', () => pager);
    const definition = pagerOver(() => ({ run, runWith: run, close: async () => {} }));
    const { id } = broker;
    const args = { broker: id, engine: id, residency: 0, dir: '/pages', diskBytes: 1_000, fingerprint: '' };
    pager = await thread.spawn(definition as never, 'pager', args);
    const filed = { activity: '9/main', mind: 9, held: 1, bytes: 100, said: 7, lent: false, file };
    broker.tell({ type: 'read', read: 1, file: filed });
    expect(await words()).toContainEqual(expect.objectContaining({ type: 'read', read: 1 }));
    // Takes the place of that word: no handler can do with it.
    broker.tell({ type: 'put-away', pages: [], deadlineMs: 1n } as never);
    await thread.pass(1_000);
    expect(await words()).toContainEqual({ type: 'handed', pages: [page] });
  });
  afterEach(() => {
    if (pages.info(page) !== undefined) pages.release(page);
  });

  it('R4 P5 asks for it again, and lets go of one that is nobody’s', async () => {
    broker.tell({ type: 'release', page });
    await settled(60);
    expect(pages.info(page)).toBeUndefined();
  });

  it('R4 P5 leaves one to the broker that has it', async () => {
    broker.tell({ type: 'taken', page });
    broker.tell({ type: 'leases-again' });
    expect(await words()).not.toContainEqual(expect.objectContaining({ type: 'handed' }));
    expect(pages.info(page)).toBeDefined();
  });

  it('R4 P5 asks the next broker when that one was lost too, and holds it until it hears', async () => {
    broker.tell({ type: 'leases-again' });
    expect(await words()).toContainEqual({ type: 'handed', pages: [page] });
    expect(pages.info(page)).toBeDefined();
  });
});
