import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Band } from '../../src/runtime/message.js';
import { System } from '../../src/runtime/system.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { actorModule, eventually, MAIN } from './stage.js';

const SOAK = process.env.TROUPE_SOAK === '1';
const TERMINATIONS = SOAK ? 200 : 20;
const HOSTS = SOAK ? 12 : 6;
const LOADS = 12;
/** One fewer than may be in a minute. */
const A_MINUTE = 4;
const MB = 2 ** 20;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function residentBytes(): Promise<number> {
  globalThis.gc?.();
  await sleep(50);
  return process.memoryUsage().rss;
}

/** The losses of each thread in the last minute stay below what ends a system. */
class Budget {
  readonly #losses = new Map<number, number[]>();

  take(thread: number): boolean {
    const now = performance.now();
    const recent = (this.#losses.get(thread) ?? []).filter((at) => now - at < 61_000);
    this.#losses.set(thread, recent);
    return recent.length < A_MINUTE && recent.push(now) > 0;
  }
}

test(
  `R4 ${TERMINATIONS} terminations of host threads under load: every ask settles, nothing arrives twice, nothing is left`,
  async () => {
    const seed = Number(process.env.TROUPE_SEED ?? 1);
    const plans = Array.from({ length: HOSTS }, (_, i) => ({ name: `host-${i}`, host: true }));
    const system = await System.start(plans);
    const spawn = (name: string, thread: number): Promise<number> =>
      system.spawn({ name, module: actorModule('puppet'), args: {}, thread });
    const hosts = plans.map((_, i) => i + 2);
    const sink = await spawn('sink', MAIN);
    const relays = await Promise.all(hosts.map((thread) => spawn(`relay-${thread}`, thread)));
    const children = hosts.map((thread) => ({
      ...{ name: `child-${thread}`, module: actorModule('puppet'), args: {}, thread },
    }));
    const supervisor = { strategy: 'rest-for-one', children };
    await system.spawn({ name: 'sup', module: SUPERVISOR, args: supervisor, thread: hosts[0] as number });
    for (const [i, id] of relays.entries()) await system.ask(id, { type: 'save', changes: { i } });
    const actors = system.inspect().actors.length;

    let on = true;
    let sent = 0;
    const outcomes = new Map<string, number>();
    const load = async (): Promise<void> => {
      for (; on; await sleep(1)) {
        const value = sent++;
        const tell = { type: 'tell', to: sink, message: { type: 'note', value } };
        const [via, next] = [relays[value % HOSTS], relays[(value + 1) % HOSTS]] as [number, number];
        const message = value % 3 === 0 ? { type: 'try', to: next, message: tell } : tell;
        const outcome = await system.ask(via, message).then(String, (error) => error.code);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    const loads = Array.from({ length: LOADS }, load);

    let before = 0;
    const budget = new Budget();
    const random = fc.sample(fc.tuple(fc.nat(HOSTS - 1), fc.nat(60)), { seed, numRuns: 100_000 });
    for (let done = 0; done < TERMINATIONS; ) {
      const [pick, pauseMs] = random.pop() as [number, number];
      const thread = hosts[pick] as number;
      if (system.inspect().threads[thread]?.alive && budget.take(thread)) {
        void system.terminateThread(thread);
        done++;
        // The first ones bring in what every thread needs.
        if (done === TERMINATIONS / 4) before = await residentBytes();
      }
      await sleep(pauseMs);
    }
    await eventually(() => system.inspect().threads.every(({ alive }) => alive));
    on = false;
    await Promise.all(loads);

    const unexpected = [...outcomes.keys()].filter(
      (key) => !['true', 'ThreadLost', 'AskTimeout'].includes(key),
    );
    expect(unexpected).toEqual([]);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(sent);
    expect(outcomes.get('true')).toBeGreaterThan(sent / 10);
    const { notes } = await system.ask<{ notes: number[] }>(sink, { type: 'peekin' }, { band: Band.control });
    expect(new Set(notes).size).toBe(notes.length);
    // All are back, each with its state, and nothing else is there.
    for (const [i, id] of relays.entries()) {
      const saved = await eventually(() => system.ask(id, { type: 'saved' }).catch(() => false));
      expect(saved).toEqual({ i });
    }
    await eventually(() => system.inspect().actors.length === actors);
    for (const { name } of children) expect(await system.lookup(name)).toBeDefined();
    const { main } = system;
    await eventually(() => main.asks.size + main.deadlines.size === 0);
    expect([main.cells().length, main.watches.size, main.ending.size]).toEqual([2, 0, 0]);
    await eventually(async () => (await residentBytes()) < before + 100 * MB);
    await system.stop();
  },
  SOAK ? 900_000 : 90_000,
);
