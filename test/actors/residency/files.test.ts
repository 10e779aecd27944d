/** Files of genes that change or go while the genes are elsewhere (G5). */
import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  BYTES,
  bring,
  code,
  hears,
  model,
  pageIn,
  pageOut,
  pathOf,
  pin,
  start,
  stats,
  tiers,
  unload,
} from './stage.js';

/** The gene is in its file alone. */
async function onDisk(): Promise<void> {
  await start({ hostBytes: 0 });
  await bring('a');
  await pageOut('a');
  expect(await tiers()).toEqual({ a: 'disk' });
}
const changed = (reason: RegExp) =>
  expect.objectContaining({
    code: 'GeneChanged',
    detail: { path: expect.stringContaining(pathOf('a')), reason: expect.stringMatching(reason) },
  });

describe('a gene that is in its file alone', () => {
  it('G5 whose file is gone does not come, for a user nor for a turn, and can be unloaded', async () => {
    await onDisk();
    rmSync(pathOf('a'));
    await expect(pageIn('a')).rejects.toEqual(changed(/ENOENT/));
    pin(1, 'a');
    expect(await hears()).toMatchObject([{ type: 'unpinned', grant: 1, error: { code: 'GeneChanged' } }]);
    expect(await pageOut('a')).toMatchObject({ resident: false, nMoved: 0 });
    expect(await stats()).toMatchObject({ failed: 2, diskGenes: 1, deviceBytes: 0, hostBytes: 0 });
    await unload('a');
    expect(model.genes()).toEqual([]);
  });

  it('G5 whose file is something else now says that its content is another one', async () => {
    await onDisk();
    writeFileSync(pathOf('a'), 'no gene at all');
    await expect(pageIn('a')).rejects.toEqual(changed(/another one/));
    expect(await tiers()).toEqual({ a: 'disk' });
  });

  it('G5 comes from another file that it was loaded from, when one is gone', async () => {
    await start({ hostBytes: 0 });
    await bring('a');
    await bring('a', { as: 'copy', path: `${pathOf('a')}-copy` });
    rmSync(pathOf('a'));
    expect(await pageOut('a')).toMatchObject({ resident: false, nMoved: BYTES });
    expect(await tiers()).toEqual({ a: 'disk', copy: 'disk' });
    expect(await pageIn('a')).toMatchObject({ resident: true, nMoved: BYTES });
    rmSync(`${pathOf('a')}-copy`);
    await expect(pageOut('a')).rejects.toEqual(changed(/ENOENT.*; ENOENT/));
  });

  it('G1 whose name is to stand for what its file holds now is replaced', async () => {
    await onDisk();
    const now = { as: 'a', path: pathOf('a') };
    await expect(bring('c', now)).rejects.toEqual(code('GeneNameTaken'));
    const { id } = await bring('c', { ...now, replace: true });
    expect(await tiers()).toEqual({ a: 'device' });
    expect(model.genes()).toMatchObject([{ id }]);
  });
});

describe('a gene that is on the host', () => {
  it('G3 comes back whatever has become of its file', async () => {
    await start();
    await bring('a');
    await pageOut('a');
    rmSync(pathOf('a'));
    expect(await pageIn('a')).toMatchObject({ resident: true, nMoved: BYTES });
    await expect(pageIn('none')).rejects.toEqual(code('NoSuchGene'));
  });
});
