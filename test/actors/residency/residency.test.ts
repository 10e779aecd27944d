/** The residency itself; minds are told what to say. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  Bound,
  MindToResidency,
  NamedGeneInfo,
  ResidencyMessage,
  ResidencyToMind,
} from '../../../src/actors/residency/protocol.js';
import definition from '../../../src/actors/residency/residency.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let residency: number;
let ada: Party<MindToResidency, ResidencyToMind>;

beforeEach(async () => {
  thread = await TestThread.start();
  ada = await Party.enter(thread, 'ada', () => residency);
  residency = await thread.spawn(definition as never, 'residency', { default: ['always'] });
});
afterEach(() => thread.stop());

const gene = (name: string, id: number): NamedGeneInfo => ({
  id,
  name,
  path: `/${name}.gguf`,
  hash: `${id}`,
  rank: 8,
  weights: 14,
  bytes: 100,
});
const ask = <T>(message: ResidencyMessage) => thread.ask<T>(residency, message as never);
const bind = (name: string, id: number, replace = false) =>
  ask<Bound>({ type: 'bind', gene: gene(name, id), replace });
const pin = (turn: number, ...names: string[]) =>
  ada.tell({ type: 'pin', turn, genes: names.map((each) => ({ gene: each, scale: 1 })) });
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('the residency', () => {
  it('G1 pins all of a turn or nothing', async () => {
    await bind('a', 1);
    pin(1, 'a', 'b');
    expect(await ada.hears()).toMatchObject([{ type: 'unpinned', turn: 1, error: { code: 'NoSuchGene' } }]);
    expect(await ask({ type: 'unbind', name: 'a' })).toEqual({ orphans: [1] });
  });

  it('G2 keeps what a turn pins until that turn lets go', async () => {
    await bind('a', 1);
    pin(1, 'a');
    pin(2, 'a');
    expect(await ada.hears()).toMatchObject([
      { type: 'pinned', turn: 1, genes: [{ name: 'a', gene: 1, scale: 1 }] },
      { type: 'pinned', turn: 2 },
    ]);
    ada.tell({ type: 'unpin', turn: 1 });
    await settled();
    await expect(ask({ type: 'unbind', name: 'a' })).rejects.toEqual(code('GeneInUse'));
    await expect(bind('a', 2, true)).rejects.toEqual(code('GeneInUse'));
    ada.tell({ type: 'unpin', turn: 2 });
    await settled();
    expect(await bind('a', 2, true)).toEqual({ orphans: [1] });
  });

  it('G1 leaves a gene that has another name, and refuses a name of another gene', async () => {
    await bind('a', 1);
    await bind('b', 1);
    await expect(bind('b', 2)).rejects.toEqual(code('GeneNameTaken'));
    expect(await ask({ type: 'unbind', name: 'a' })).toEqual({ orphans: [] });
    expect(await ask({ type: 'unbind', name: 'b' })).toEqual({ orphans: [1] });
    await expect(ask({ type: 'unbind', name: 'b' })).rejects.toEqual(code('NoSuchGene'));
  });

  it('G2 does not let go of a gene that is active by default', async () => {
    await bind('always', 1);
    await expect(ask({ type: 'unbind', name: 'always' })).rejects.toEqual(code('GeneInUse'));
    expect(await bind('always', 2, true)).toEqual({ orphans: [1] });
  });

  it('R4 started again it knows its genes, and asks minds for their pins', async () => {
    await bind('a', 1);
    pin(1, 'a');
    await ada.hears();
    // No mind says this: it crashes.
    ada.tell({ type: 'pin', turn: 2, genes: undefined as never });
    await settled();
    await thread.pass(10);
    await settled();
    expect(await ask<NamedGeneInfo[]>({ type: 'list' })).toEqual([gene('a', 1)]);
    expect(await ada.hears()).toContainEqual({ type: 'pin-again' });
  });
});
