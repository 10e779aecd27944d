/** Where genes are: moved when they are asked for, when a turn needs them, and when others need their room. */
import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contextOptions, FORMS } from '../../native/fixtures.js';
import {
  BYTES,
  bring,
  code,
  eventually,
  hears,
  model,
  nowHears,
  pageIn,
  pageOut,
  pathOf,
  pin,
  start,
  stats,
  thread,
  tiers,
  unload,
  unpin,
} from './stage.js';

describe.each(FORMS)('tiers of genes, by %s', (form) => {
  it('G3 out and in answer what they did, and do nothing twice', async () => {
    await start({}, form);
    await bring('a');
    const moved = { nBytes: BYTES, nMoved: BYTES, tMs: expect.any(Number) };
    expect(await pageOut('a')).toEqual({ resident: false, ...moved });
    expect(await pageOut('a')).toEqual({ resident: false, nBytes: BYTES, nMoved: 0, tMs: 0 });
    expect(await tiers()).toEqual({ a: 'host' });
    expect(model.genes()).toMatchObject([{ tier: 'host' }]);
    expect(await pageIn('a')).toEqual({ resident: true, ...moved });
    expect(await pageIn('a')).toMatchObject({ resident: true, nMoved: 0 });
    await expect(pageOut('none')).rejects.toEqual(code('NoSuchGene'));
    await expect(pageIn('none')).rejects.toEqual(code('NoSuchGene'));
    expect(await stats()).toMatchObject({ pagedOut: 1, pagedIn: 1, pagedInOnDemand: 0, failed: 0 });
    expect(thread.probes.filter(({ name }) => name === 'genome.page')).toMatchObject([
      { gene: 'a', from: 'device', to: 'host', bytes: BYTES, cause: 'asked' },
      { gene: 'a', from: 'host', to: 'device', bytes: BYTES, cause: 'asked' },
    ]);
  });

  it('G4 a turn has its genes moved in before it is told that they are pinned, and that counts as a miss', async () => {
    await start({}, form);
    const { id } = await bring('a');
    await pageOut('a');
    pin(1, 'a');
    const missed = { genes: 1, bytes: BYTES };
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 1, genes: [{ gene: id }], missed }]);
    expect(model.genes()).toMatchObject([{ tier: 'device' }]);
    expect(await stats()).toMatchObject({ pagedIn: 1, pagedInOnDemand: 1 });
  });

  it('G3 a gene that was moved in stays, and another one makes room for it', async () => {
    await start({ slots: 1 }, form);
    await bring('a');
    pin(1, 'a');
    await hears();
    unpin(1);
    await bring('b');
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host' }));
    await pageIn('b');
    await eventually(async () => expect(await tiers()).toEqual({ a: 'host', b: 'device' }));
    pin(2, 'a');
    expect(await hears()).toMatchObject([{ type: 'pinned', missed: { genes: 1 } }]);
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host' }));
  });

  it('G6 the coldest gene makes room, whoever used it: not the one used last, but the one used once', async () => {
    await start({ slots: 2 }, form);
    await bring('a');
    await bring('b');
    for (const [i, gene] of ['a', 'a', 'b'].entries()) {
      pin(i, gene);
      await hears();
      unpin(i);
    }
    await bring('c');
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'device', c: 'host' }));
    pin(9, 'c');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 9, missed: { genes: 1 } }]);
    await eventually(async () => expect(await tiers()).toEqual({ a: 'device', b: 'host', c: 'device' }));
    expect(await stats()).toMatchObject({ slots: 2, deviceBytes: 2 * BYTES, hostBytes: BYTES });
  });

  it('case-10 of two grants with room for the gene of one the second has none, until the first is over', async () => {
    await start({ slots: 1 }, form);
    await bring('a');
    await bring('b');
    pin(1, 'a');
    await hears();
    pin(2, 'b');
    expect(await nowHears()).toEqual([{ type: 'short', grant: 2 }]);
    await expect(pageIn('b')).rejects.toEqual(code('GeneSlotsFull'));
    await unload('b');
    unpin(1);
    await bring('b');
    pin(2, 'b');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 2 }]);
  });

  it('T1 a grant holds all of its genes or none', async () => {
    await start({ slots: 2 }, form);
    for (const name of ['a', 'b', 'c'] as const) await bring(name);
    pin(1, 'a');
    await hears();
    pin(2, 'b', 'c');
    expect(await nowHears()).toEqual([{ type: 'short', grant: 2 }]);
    await unload('b');
    pin(3, 'a', 'c');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 3 }]);
  });

  it('T1 a grant that is over while its genes come hears no more of them', async () => {
    await start({ slots: 1, hostBytes: 0 }, form);
    await bring('a');
    await bring('b');
    await pageOut('b');
    pin(1, 'b');
    unpin(1);
    pin(2, 'a');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 2 }]);
  });
});

describe.each(FORMS)('G3 a gene by %s that a lane still holds, though no turn does,', (form) => {
  it('stays, and whoever asked for it to leave hears why', async () => {
    await start({}, form);
    const { id } = await bring('a');
    const context = model.context(contextOptions);
    context.setGenes(0, [{ gene: id, scale: 1 }]);
    await expect(pageOut('a')).rejects.toEqual(code('GeneInUse'));
    expect(await tiers()).toEqual({ a: 'device' });
    expect(await stats()).toMatchObject({ pagedOut: 0, failed: 1 });
    context.close();
    await thread.pass(5_000);
    expect(await pageOut('a')).toMatchObject({ resident: false, nMoved: BYTES });
  });
});

describe('the disk tier', () => {
  it('G5 host copies have a ceiling: the coldest goes to disk, and comes back from its file', async () => {
    await start({ hostBytes: BYTES });
    await bring('a');
    await bring('b');
    await pageOut('a');
    await pageOut('b');
    expect(await tiers()).toEqual({ a: 'disk', b: 'host' });
    expect(await stats()).toMatchObject({ hostBytes: BYTES, diskGenes: 1, dropped: 1, deviceBytes: 0 });
    expect(await pageIn('a')).toMatchObject({ resident: true, nMoved: BYTES });
    pin(1, 'b');
    expect(await hears()).toMatchObject([{ type: 'pinned', missed: { genes: 1 } }]);
  });

  it('case-5 a file with other content gives nothing back, and the turn fails with why', async () => {
    await start({ hostBytes: 0 });
    await bring('a');
    await pageOut('a');
    expect(await tiers()).toEqual({ a: 'disk' });
    writeFileSync(pathOf('a'), 'something else');
    pin(1, 'a');
    expect(await hears()).toMatchObject([{ type: 'unpinned', grant: 1, error: { code: 'GeneChanged' } }]);
    await expect(pageIn('a')).rejects.toEqual(code('GeneChanged'));
    expect(await stats()).toMatchObject({ failed: 2, pagedIn: 0 });
    expect(thread.probes.filter(({ name }) => name === 'genome.page.failed')).toMatchObject([
      { gene: 'a', from: 'disk', to: 'device', cause: 'demand', error: { code: 'GeneChanged' } },
      { cause: 'asked' },
    ]);
    await bring('a', { as: 'b' });
    pin(2, 'a');
    expect(await hears()).toMatchObject([{ type: 'pinned', grant: 2 }]);
  });

  it('G5 a gene whose file is another one now is not given up to it', async () => {
    await start({ hostBytes: 0 });
    await bring('a');
    rmSync(pathOf('a'));
    await expect(pageOut('a')).rejects.toEqual(code('GeneChanged'));
    expect(await tiers()).toEqual({ a: 'device' });
    pin(1, 'a');
    expect(await hears()).toMatchObject([{ type: 'pinned', missed: { genes: 0 } }]);
  });
});
