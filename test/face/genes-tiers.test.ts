/** Genes that move, through the public face: what minds say does not show it, and nothing waits without an end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  BadArgument,
  DeadlineExceeded,
  GeneChanged,
  GeneInUse,
  type GeneOptions,
  GeneSlotsFull,
  type Mind,
  type Troupe,
  type TroupeOptions,
} from '../../src/index.js';
import { clear, sharedTroupe } from './shared.js';
import {
  begun,
  busy,
  circling,
  ENDLESS,
  folder,
  greedy,
  startTroupe,
  until,
  writeLongModel,
} from './stage.js';

const GENES = ['kjv', 'melville', 'third'] as const;
type Name = (typeof GENES)[number];
const SAYING = 'Tell me about the sea.';
const say = { maxTokens: 24, sampling: greedy };
const only = (gene: Name) => ({ genes: [{ gene, scale: 1 }] });

let place: ReturnType<typeof folder>;
let troupe: Troupe;
beforeAll(() => {
  place = folder();
  for (const name of GENES) {
    const author = name === 'third' ? 'kjv' : name;
    const model = new URL(`../../models/parlour-tiny-gene-${author}-F16.gguf`, import.meta.url);
    const bytes = readFileSync(fileURLToPath(model));
    // Another gene than the one of that author, by a bit.
    if (name === 'third') bytes[bytes.length - 2] = (bytes.at(-2) as number) ^ 1;
    writeFileSync(pathOf(name), bytes);
  }
});
afterAll(() => place[Symbol.dispose]());
afterEach(clear);

const pathOf = (name: Name) => join(place.path, `${name}.gguf`);
async function start(genes: GeneOptions = {}, more: TroupeOptions = {}): Promise<void> {
  troupe = await sharedTroupe(4, { genes, ...more });
  for (const name of GENES) await troupe.genes.load(pathOf(name));
}
const said = async (mind: Mind) => (await mind.turn(SAYING, say).result).text;

describe('genes out of the way', () => {
  it('G3 a gene that was out says what it said, and what was computed under it is still of use', async () => {
    await start();
    const [ada, ben] = await Promise.all(['ada', 'ben'].map((name) => troupe.mind(name, only('kjv'))));
    const text = await said(ada as Mind);
    await troupe.genes.pageOut('kjv');
    const again = await (ada as Mind).turn(SAYING, say).result;
    expect(again.receipt.genesMissed).toEqual({ genes: 1, bytes: expect.any(Number) });
    expect(again.receipt.runs[0]?.reused).toBeGreaterThan(0);
    await troupe.genes.pageOut('kjv');
    await troupe.genes.pageIn('kjv');
    await troupe.genes.unload('third');
    expect(await said(ben as Mind)).toBe(text);
    expect(await troupe.genes.stats()).toMatchObject({ pagedOut: 2, pagedIn: 2, pagedInOnDemand: 1 });
  });

  it('G4 with one slot three minds with different genes take turns, and each says what it says alone', async () => {
    await start();
    const expected = new Map<Name, string>();
    for (const name of GENES) expected.set(name, await said(await troupe.mind(name, only(name))));
    await start({ slots: 1 });
    const minds = await Promise.all(GENES.map((name) => troupe.mind(name, only(name))));
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(
        minds.map((mind) => mind.turn(SAYING, { ...say, room: `${round}` }).result),
      );
      for (const [i, { text }] of results.entries()) expect(text).toBe(expected.get(GENES[i] as Name));
    }
    const stats = await troupe.genes.stats();
    expect(stats).toMatchObject({ slots: 1, failed: 0 });
    expect(stats.pagedInOnDemand).toBeGreaterThanOrEqual(8);
  });

  it('B6 more genes than slots are refused at once, in a turn and as a default', async () => {
    await start({ slots: 1 });
    const mind = await troupe.mind('ada');
    const genes = GENES.slice(0, 2).map((gene) => ({ gene, scale: 1 }));
    expect((await mind.turn(SAYING, { ...say, genes }).result).error).toBeInstanceOf(GeneSlotsFull);
    await expect(startTroupe({ genes: { slots: 1, default: genes } })).rejects.toThrow(BadArgument);
  });

  it('case-10 a turn whose genes have no room waits, says so, and ends with its deadline', async () => {
    const context = 8_192;
    const model = writeLongModel(join(place.path, 'long.gguf'), context);
    await start({ slots: 1 }, { model, context });
    // Of so small a scale that the reply does not end, and holds the slot beyond the deadline of who waits for it.
    const ada = await troupe.mind('ada', { genes: [{ gene: 'kjv', scale: 1e-6 }] });
    const ben = await troupe.mind('ben', only('melville'));
    const running = ada.turn(ENDLESS, { maxTokens: 8_000, sampling: circling });
    await begun(running);
    const late = ben.turn(SAYING, { ...say, deadline: 1_000 });
    const waiting = ben.turn(SAYING, { ...say, room: 'other' });
    await until(() => /genes.*ada/s.test(troupe.why('ben').sentence), 'a wait for genes');
    const { error, receipt } = await late.result;
    expect(error).toBeInstanceOf(DeadlineExceeded);
    expect(receipt.waits.genes).toBeGreaterThan(0);
    running.cancel();
    const { outcome, receipt: second } = await waiting.result;
    expect(outcome).toBe('length');
    expect(second.genesMissed.genes).toBe(1);
  });

  it('G3 a gene that a turn runs stays, and so does what is active by default or learning', async () => {
    await start({ default: [{ gene: 'melville', scale: 1 }] });
    const mind = await troupe.mind('ada', only('kjv'));
    const turns = await busy(mind);
    await expect(troupe.genes.pageOut('kjv')).rejects.toThrow(GeneInUse);
    for (const turn of turns) turn.cancel();
    for (const turn of turns) await turn.result;
    expect(await troupe.genes.pageOut('kjv')).toMatchObject({ resident: false });
    await expect(troupe.genes.pageOut('melville')).rejects.toThrow('active by default');
    await troupe.genes.load(pathOf('third'), { learning: true });
    await expect(troupe.genes.pageOut('third')).rejects.toThrow('the learning optimizer');
    await expect(troupe.genes.unload('third')).rejects.toThrow('the learning optimizer');
    await troupe.stop();
  });

  it('case-5 a gene whose file was replaced while it was on disk is not what its name means', async () => {
    await start({ hostBytes: 0 });
    const mind = await troupe.mind('ada', only('third'));
    await troupe.genes.pageOut('third');
    const kept = readFileSync(pathOf('third'));
    writeFileSync(pathOf('third'), readFileSync(pathOf('melville')));
    expect((await mind.turn(SAYING, say).result).error).toBeInstanceOf(GeneChanged);
    writeFileSync(pathOf('third'), kept);
    expect((await mind.turn(SAYING, say).result).outcome).toBe('length');
    expect(await troupe.genes.stats()).toMatchObject({ failed: 1, pagedInOnDemand: 1 });
  });

  it('G4 whatever moves meanwhile, minds say what they say alone', { timeout: 60_000 }, async () => {
    await start({ slots: 2, hostBytes: 70_000 });
    const expected = new Map<Name, string>();
    for (const name of GENES) expected.set(name, await said(await troupe.mind(name, only(name))));
    let over = false;
    const mover = (async () => {
      for (let i = 0; !over; i++) {
        const name = GENES[i % 3] as Name;
        const moved = i % 2 === 0 ? troupe.genes.pageOut(name) : troupe.genes.pageIn(name);
        await moved.catch((error) => expect(error.code).toMatch(/^Gene(InUse|SlotsFull)$/));
      }
    })();
    const crowd = await Promise.all(
      Array.from({ length: 9 }, async (_, i) => {
        const name = GENES[i % 3] as Name;
        return { name, mind: await troupe.mind(`${name}-${i}`, only(name)) };
      }),
    );
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        crowd.map(async ({ name, mind }) => {
          const { text, error } = await mind.turn(SAYING, { ...say, room: `${round}` }).result;
          expect([error, text]).toEqual([undefined, expected.get(name)]);
        }),
      );
    }
    over = true;
    await mover;
  });
});
