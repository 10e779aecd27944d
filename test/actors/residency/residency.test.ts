/** The residency itself; minds are told what to say. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineControl } from '../../../src/actors/engine/protocol.js';
import type {
  Bound,
  MindToResidency,
  NamedGeneInfo,
  ResidencyArgs,
  ResidencyMessage,
  ResidencyToMind,
} from '../../../src/actors/residency/protocol.js';
import definition from '../../../src/actors/residency/residency.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let residency: number;
let ada: Party<MindToResidency, ResidencyToMind>;
let engine: Party<never, EngineControl>;

beforeEach(async () => {
  thread = await TestThread.start();
  ada = await Party.enter(thread, 'ada', () => residency);
  engine = await Party.enter(thread, 'engine', () => residency);
  residency = await thread.spawn(definition as never, 'residency', {
    ...{ default: ['always'], engine: engine.id },
  } satisfies ResidencyArgs);
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
  tier: 'device',
});
const ask = <T>(message: ResidencyMessage) => thread.ask<T>(residency, message as never);
const bind = (name: string, id: number, replace = false) =>
  ask<Bound>({ type: 'bind', gene: gene(name, id), replace });
const pin = (turn: number, ...names: string[]) =>
  ada.tell({ type: 'pin', turn, genes: names.map((each) => ({ gene: each, scale: 1 })) });
/** Waits until ada is asked what it holds. */
async function confirm(): Promise<void> {
  const [asked] = await ada.hears();
  expect(asked).toMatchObject({ type: 'confirm' });
  ada.tell({ type: 'confirmed', question: (asked as { question: number }).question });
}
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
    const unbound = ask({ type: 'unbind', name: 'a' });
    await confirm();
    await expect(unbound).rejects.toEqual(code('GeneInUse'));
    const bound = bind('a', 2, true);
    await confirm();
    await expect(bound).rejects.toEqual(code('GeneInUse'));
    ada.tell({ type: 'unpin', turn: 2 });
    await settled();
    expect(await bind('a', 2, true)).toEqual({ orphans: [1] });
    expect(await engine.hears()).toEqual([{ type: 'unloaded', gene: 1 }]);
  });

  it('G2 refuses nothing for a turn that has ended, also when that it did is still on its way', async () => {
    await bind('a', 1);
    pin(1, 'a');
    await ada.hears();
    const unbound = ask({ type: 'unbind', name: 'a' });
    await settled();
    ada.tell({ type: 'unpin', turn: 1 });
    await confirm();
    expect(await unbound).toEqual({ orphans: [1] });
  });

  it('G2 goes by what it knows of a mind that does not answer, and not of one that has ended', async () => {
    await bind('a', 1);
    pin(1, 'a');
    await ada.hears();
    const late = ask({ type: 'unbind', name: 'a' });
    late.catch(() => {});
    await thread.pass(1_000);
    await expect(late).rejects.toEqual(code('GeneInUse'));
    const unbound = ask({ type: 'unbind', name: 'a' });
    await settled();
    ada.end();
    expect(await unbound).toEqual({ orphans: [1] });
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
