/** Names of genes, who holds them, and what a residency that is started again knows of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../thread.js';
import {
  bring,
  broker,
  code,
  confirm,
  engine,
  eventually,
  hears,
  inUse,
  model,
  nowHears,
  pageOut,
  pin,
  start,
  thread,
  tiers,
  unload,
  unpin,
} from './stage.js';

describe('names of genes', () => {
  beforeEach(() => start());

  it('G1 pins all of a turn or nothing', async () => {
    const { id } = await bring('a');
    pin(1, 'a', 'none');
    expect(await hears()).toMatchObject([{ type: 'unpinned', grant: 1, error: { code: 'NoSuchGene' } }]);
    await unload('a');
    expect(await engine.hears()).toEqual([{ type: 'unloaded', gene: id }]);
    expect(model.genes()).toEqual([]);
  });

  it('G1 pins no gene under two names', async () => {
    await bring('a');
    await bring('a', { as: 'b' });
    pin(1, 'a', 'b');
    const error = { code: 'BadArgument', detail: { argument: 'genes', value: ['a', 'b'] } };
    expect(await hears()).toMatchObject([{ type: 'unpinned', grant: 1, error }]);
  });

  it('G1 leaves a gene that has another name, and refuses a name of another gene', async () => {
    await bring('a');
    await bring('a', { as: 'b' });
    await expect(bring('c', { as: 'b' })).rejects.toEqual(code('GeneNameTaken'));
    expect(model.genes()).toHaveLength(1);
    await unload('a');
    expect(await tiers()).toEqual({ b: 'device' });
    await unload('b');
    await expect(unload('b')).rejects.toEqual(code('NoSuchGene'));
    expect(model.genes()).toEqual([]);
  });

  it('G2 keeps what a grant has until that is over', async () => {
    const { id } = await bring('a');
    pin(1, 'a');
    pin(2, 'a');
    expect(await hears(2)).toMatchObject([
      { type: 'pinned', grant: 1, genes: [{ name: 'a', gene: id, scale: 1 }], missed: { genes: 0 } },
      { type: 'pinned', grant: 2 },
    ]);
    unpin(1);
    for (const refused of [
      () => unload('a'),
      () => bring('b', { as: 'a', replace: true }),
      () => pageOut('a'),
    ]) {
      const asked = refused();
      await confirm();
      await expect(asked).rejects.toEqual(inUse('one turn'));
    }
    expect(model.genes()).toHaveLength(1);
    unpin(2);
    await settled();
    expect((await bring('b', { as: 'a', replace: true })).id).not.toBe(id);
    expect(model.genes()).toHaveLength(1);
  });

  it('G2 refuses nothing for a turn that has ended, also when that it did is still on its way', async () => {
    await bring('a');
    pin(1, 'a');
    await hears();
    const unloaded = unload('a');
    await settled();
    unpin(1);
    await confirm();
    await unloaded;
  });

  it('G2 goes by what it knows when it hears nothing, and asks nobody of a gene that none holds', async () => {
    await bring('a');
    pin(1, 'a');
    await hears();
    const late = unload('a');
    late.catch(() => {});
    await thread.pass(1_000);
    await expect(late).rejects.toEqual(code('GeneInUse'));
    unpin(1);
    await nowHears();
    await unload('a');
    expect(await nowHears()).toEqual([]);
  });

  it('G2 G3 does not let go of a gene that is active by default, nor of one that is learning', async () => {
    await bring('a', { as: 'always' });
    await expect(unload('always')).rejects.toEqual(code('GeneInUse'));
    await expect(pageOut('always')).rejects.toEqual(code('GeneInUse'));
    await bring('b', { as: 'a', learning: true });
    for (const refused of [
      () => unload('a'),
      () => pageOut('a'),
      () => bring('c', { as: 'a', replace: true }),
    ]) {
      await expect(refused()).rejects.toEqual(inUse('the learning optimizer'));
    }
    await bring('b', { as: 'other' });
    await expect(unload('a')).rejects.toEqual(inUse('the learning optimizer'));
    await bring('b', { as: 'a' });
    await unload('a');
    await bring('c', { as: 'always', replace: true });
  });
});

describe('what there is', () => {
  it('B6 is told whenever a name comes to stand for another gene, or for none', async () => {
    await start({ slots: 3 });
    const heard = async () => {
      const [told] = (await broker.hears()).splice(-1);
      return told?.type === 'stock' ? [[...told.stock.named], told.stock.fixed, told.stock.slots] : told;
    };
    const { id } = await bring('a', { as: 'always' });
    expect(await heard()).toEqual([[['always', id]], [id], 3]);
    const { id: other } = await bring('b', { learning: true });
    const both = [
      ['always', id],
      ['b', other],
    ];
    expect(await heard()).toEqual([both, [id, other], 3]);
    await bring('b');
    expect(await heard()).toEqual([both, [id], 3]);
    await unload('b');
    expect(await heard()).toEqual([[['always', id]], [id], 3]);
  });
});

describe('a residency that is started again', () => {
  it('R4 knows its genes and where they are, and has the broker say its pins', async () => {
    await start({ slots: 1 });
    const { id } = await bring('a');
    await bring('b');
    await pageOut('a');
    pin(1, 'a');
    await hears();
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host' }));
    // No broker says this: it crashes.
    broker.tell({ type: 'pin', grant: 2, activity: '', turn: 2, genes: undefined as never });
    await eventually(async () => {
      await thread.pass(10);
      expect(await nowHears()).toMatchObject([{ type: 'genes-up' }]);
    });
    expect(await tiers()).toEqual({ a: 'device', b: 'host' });
    const genes = [{ name: 'a', gene: id, scale: 1 }];
    broker.tell({ type: 'hold', grant: 1, activity: '9/1', turn: 1, genes });
    broker.tell({ type: 'all-said' });
    pin(2, 'b');
    expect(await nowHears()).toEqual([{ type: 'short', grant: 2 }]);
    unpin(1);
    pin(2, 'b');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 2 }]);
  });

  it('R4 G6 moves nothing before it knows what was granted under the one before it', async () => {
    await start({ slots: 2 });
    const { id } = await bring('a');
    for (const gene of ['b', 'c'] as const) await bring(gene);
    await pageOut('b');
    pin(1, 'a');
    await hears();
    pin(2, 'c');
    await hears();
    unpin(2);
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host', c: 'device' }));
    // No broker says this: it crashes; the next one's mailbox has a pin that the one before was to hear.
    broker.tell({ type: 'pin', grant: 3, activity: '', turn: 3, genes: undefined as never });
    pin(4, 'b');
    await eventually(async () => {
      await thread.pass(10);
      expect(await nowHears()).toMatchObject([{ type: 'genes-up' }]);
    });
    const genes = [{ name: 'a', gene: id, scale: 1 }];
    broker.tell({ type: 'hold', grant: 1, activity: '9/1', turn: 1, genes });
    broker.tell({ type: 'all-said' });
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 4 }]);
    expect(await tiers()).toEqual({ a: 'device', b: 'device', c: 'host' });
  });

  it('G6 R4 knows how warm its genes are', async () => {
    await start({ slots: 2 });
    for (const gene of ['a', 'b'] as const) await bring(gene);
    for (const [i, gene] of ['a', 'a', 'b'].entries()) {
      pin(i, gene);
      await hears();
      unpin(i);
    }
    // No broker says this: it crashes.
    broker.tell({ type: 'pin', grant: 9, activity: '', turn: 9, genes: undefined as never });
    await eventually(async () => {
      await thread.pass(10);
      expect(await nowHears()).toMatchObject([{ type: 'genes-up' }]);
    });
    broker.tell({ type: 'all-said' });
    await bring('c');
    pin(10, 'c');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 10 }]);
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host', c: 'device' }));
  });

  it('R4 lets go of all when the broker was started again, and says what there is', async () => {
    await start({ slots: 1 });
    await bring('a');
    await bring('b');
    pin(1, 'a');
    await hears();
    broker.tell({ type: 'forget' });
    const [up] = await nowHears();
    expect(up).toMatchObject({ type: 'genes-up', stock: { slots: 1 } });
    pin(2, 'b');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 2 }]);
  });
});
