/** Names of genes, who holds them, and what a residency that is started again knows of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../thread.js';
import {
  ada,
  ben,
  bring,
  code,
  confirm,
  engine,
  eventually,
  hears,
  inUse,
  model,
  pageOut,
  pin,
  start,
  thread,
  tiers,
  unload,
} from './stage.js';

describe('names of genes', () => {
  beforeEach(() => start());

  it('G1 pins all of a turn or nothing', async () => {
    const { id } = await bring('a');
    pin(ada, 1, 'a', 'none');
    expect(await hears(ada)).toMatchObject([{ type: 'unpinned', turn: 1, error: { code: 'NoSuchGene' } }]);
    await unload('a');
    expect(await engine.hears()).toEqual([{ type: 'unloaded', gene: id }]);
    expect(model.genes()).toEqual([]);
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

  it('G2 keeps what a turn pins until that turn lets go', async () => {
    const { id } = await bring('a');
    pin(ada, 1, 'a');
    pin(ada, 2, 'a');
    expect(await hears(ada, 2)).toMatchObject([
      { type: 'pinned', turn: 1, genes: [{ name: 'a', gene: id, scale: 1 }], missed: { genes: 0 } },
      { type: 'pinned', turn: 2 },
    ]);
    ada.tell({ type: 'unpin', turn: 1 });
    for (const refused of [
      () => unload('a'),
      () => bring('b', { as: 'a', replace: true }),
      () => pageOut('a'),
    ]) {
      const asked = refused();
      await confirm(ada);
      await expect(asked).rejects.toEqual(inUse('one turn'));
    }
    expect(model.genes()).toHaveLength(1);
    ada.tell({ type: 'unpin', turn: 2 });
    await settled();
    expect((await bring('b', { as: 'a', replace: true })).id).not.toBe(id);
    expect(model.genes()).toHaveLength(1);
  });

  it('G2 refuses nothing for a turn that has ended, also when that it did is still on its way', async () => {
    await bring('a');
    pin(ada, 1, 'a');
    await hears(ada);
    const unloaded = unload('a');
    await settled();
    ada.tell({ type: 'unpin', turn: 1 });
    await confirm(ada);
    await unloaded;
  });

  it('G2 goes by what it knows of a mind that does not answer, and not of one that has ended', async () => {
    await bring('a');
    pin(ada, 1, 'a');
    await hears(ada);
    const late = unload('a');
    late.catch(() => {});
    await thread.pass(1_000);
    await expect(late).rejects.toEqual(code('GeneInUse'));
    const unloaded = unload('a');
    await settled();
    ada.end();
    await unloaded;
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
    await bring('b', { as: 'a' });
    await unload('a');
    await bring('c', { as: 'always', replace: true });
  });
});

describe('names that change while turns wait', () => {
  it('G1 a turn has what its names mean by the time that there is room', async () => {
    await start({ slots: 1 });
    await bring('a');
    await bring('b');
    pin(ada, 1, 'a');
    await hears(ada);
    pin(ben, 1, 'b');
    await settled();
    const { id } = await bring('c', { as: 'b', replace: true });
    ada.tell({ type: 'unpin', turn: 1 });
    expect(await hears(ben)).toMatchObject([{ type: 'pinned', turn: 1, genes: [{ name: 'b', gene: id }] }]);
  });
});

describe('a residency that is started again', () => {
  it('R4 knows its genes and where they are, and asks minds for their pins', async () => {
    await start({ slots: 1 });
    const { id } = await bring('a');
    await bring('b');
    await pageOut('a');
    pin(ada, 1, 'a');
    await hears(ada);
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host' }));
    // No mind says this: it crashes.
    ada.tell({ type: 'pin', turn: 2, genes: undefined as never, deadlineMs: 1 });
    await eventually(async () => {
      await thread.pass(10);
      expect(await ada.hears()).toContainEqual({ type: 'pin-again' });
    });
    expect(await tiers()).toEqual({ a: 'device', b: 'host' });
    ada.tell({ type: 'hold', turn: 1, genes: [id] });
    pin(ben, 1, 'b');
    expect(await ben.hears()).toEqual([]);
    ada.tell({ type: 'unpin', turn: 1 });
    expect(await hears(ben)).toMatchObject([{ type: 'pinned', turn: 1 }]);
  });
});
