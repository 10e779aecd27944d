/** `why` on actors that are really in trouble; each stays in it until the test lets it go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnownAs } from '../../src/runtime/known-as.js';
import { Band, type Message } from '../../src/runtime/message.js';
import type { Sight } from '../../src/runtime/standing.js';
import type { Strategy } from '../../src/runtime/strategy.js';
import { SUPERVISOR } from '../../src/runtime/well-known.js';
import { type Why, why } from '../../src/runtime/why.js';
import { actorModule, eventually, HOST_A, HOST_B, Stage } from './stage.js';

const LONG_MS = 600_000;

describe('R6 why, live', () => {
  let stage: Stage;
  let count = 0;
  /** Everything asked here and left hanging, so that nothing is rejected unheard. */
  const hanging: Promise<unknown>[] = [];

  beforeAll(async () => {
    stage = await Stage.open({ frozenMs: 0 });
  });
  afterAll(async () => {
    await stage.close();
    await Promise.allSettled(hanging);
  });

  const spawn = (name: string, thread = HOST_A) => stage.spawn(thread, {}, `${name}-${count++}`);
  const leave = (to: number, message: Message): void => {
    const answer = stage.ask(to, message, { deadlineMs: LONG_MS });
    answer.catch(() => {});
    hanging.push(answer);
  };
  const forward = (to: number, message: Message): Message => ({
    type: 'forward',
    to,
    message,
    options: { deadlineMs: LONG_MS },
  });
  const look = (id: number): Why => {
    const sight: Sight = { ...stage.system.inspect(), holds: [] };
    const known = new KnownAs(sight.actors);
    const actor = known.actor(id);
    if (actor === undefined) throw new Error(`no actor is ${id}`);
    return why(sight, actor, known);
  };
  const until = async (id: number, verdict: Why['verdict']): Promise<string> =>
    (await eventually(() => [look(id)].find((told) => told.verdict === verdict))).sentence;
  /** The first sentence about one of these that matches. */
  const said = (ids: readonly number[], pattern: RegExp): Promise<string> =>
    eventually(() => ids.map((id) => look(id).sentence).find((sentence) => pattern.test(sentence)));

  it('R6 names a deadlocked pair, by whose wait was ended', async () => {
    const [ada, bob] = [await spawn('ada'), await spawn('bob')];
    leave(ada, forward(bob, forward(ada, { type: 'echo' })));
    await said(
      [bob],
      /^bob-\d+ .*the last error: bob-\d+ waits for ada-\d+ \(echo\), ada-\d+ for bob-\d+ \(forward\): a deadlock; the newest wait, that of bob-\d+, was ended/,
    );
  });

  it('R6 names a deadlock of three over two threads, by whose wait was ended', async () => {
    const ada = await spawn('ada');
    const bob = await spawn('bob', HOST_B);
    const eve = await spawn('eve');
    leave(ada, forward(bob, forward(eve, forward(ada, { type: 'echo' }))));
    await said(
      [ada, bob, eve],
      /the last error: \S+ waits for \S+ \(\w+\), \S+ for \S+ \(\w+\), \S+ for \S+ \(\w+\): a deadlock; the newest wait, that of \S+, was ended/,
    );
  });

  it('R6 names a ring of three over two threads, one of which has taken its answer over', async () => {
    const ada = await spawn('ada');
    const bob = await spawn('bob', HOST_B);
    const eve = await spawn('eve');
    const dan = await spawn('dan', HOST_B);
    leave(eve, forward(ada, { type: 'later' }));
    // Taken over before ada waits herself: a message that only lay there would make it a deadlock, which is ended.
    await eventually(() => stage.report(ada)?.processed === 1);
    leave(ada, forward(bob, forward(eve, { type: 'echo' })));
    await eventually(() => stage.report(ada)?.state === 'awaiting');
    leave(dan, forward(ada, { type: 'echo' }));
    expect(await until(dan, 'ring')).toMatch(
      /^dan-\d+ waits .* a ring of ada-\d+, bob-\d+ and eve-\d+, none of which takes a message: an answer that was taken over must come, .*; the wait of \w+-\d+ ends by its deadline in .*\.$/,
    );
    expect(look(dan).chain.length).toBe(4);
  });

  it('R6 names a handler that is stuck, through the chain that waits for it', async () => {
    const [ada, bob] = [await spawn('ada'), await spawn('bob', HOST_B)];
    leave(ada, forward(bob, { type: 'hold' }));
    expect(await until(ada, 'outside')).toMatch(
      /^ada-\d+ waits .+ m?s for bob-\d+ \(hold\): bob-\d+ has hold in hand for .+ m?s, awaits something that is no actor \(thread host-b\), and must end it; the wait of ada-\d+ ends by its deadline in .+\.$/,
    );
    stage.system.tell(bob, { type: 'let-go' }, { band: Band.control });
    await until(ada, 'idle');
  });

  it('R6 names an actor that is starved, and who has its thread, also through the chain that waits for it', async () => {
    const [hog, victim] = [await spawn('hog'), await spawn('victim')];
    const far = await spawn('far', HOST_B);
    const letGo = await stage.spin(hog);
    stage.system.tell(victim, { type: 'note', value: 1 });
    expect(await until(victim, 'starved')).toMatch(
      /^victim-\d+ (has 1 message queued and )?gets no turn: its thread host-a has been busy for \S+ s with hog-\d+, which has spin in hand for \S+ s and must end it\.$/,
    );
    leave(far, forward(victim, { type: 'echo' }));
    await until(far, 'starved');
    expect(look(far).sentence).toMatch(/^far-\d+ waits .*: victim-\d+ .* with hog-\d+/);
    expect(look(hog).sentence).toMatch(
      /^hog-\d+ has spin in hand for \S+ s, which keeps its thread host-a busy, and must end it\.$/,
    );
    await letGo();
    await until(victim, 'idle');
  });

  it('R6 names a crash loop', async () => {
    const ada = await spawn('ada');
    for (let i = 0; i < 3; i++) leave(ada, { type: 'crash', why: `no such file ${i}` });
    await said(
      [ada],
      /^ada-\d+ crashes again and again \(3 restarts so far, the last error: no such file 2\), and its code or what it is sent must change\.$/,
    );
  });

  describe('R6 of a crash loop under a supervisor', () => {
    const supervised = async (strategy: Strategy, firstMs: number): Promise<number[]> => {
      const names = [count++, count++].map((n) => `child-${n}`);
      const module = actorModule('puppet');
      const children = names.map((name) => ({ name, module, args: {}, thread: HOST_B }));
      const backoff = { firstMs, mostMs: LONG_MS, jitter: 0 };
      const args = { strategy, children, backoff, intensity: { count: 9, withinMs: LONG_MS } };
      const sup = await stage.system.spawn({
        name: `sup-${count++}`,
        module: SUPERVISOR,
        args,
        thread: HOST_A,
      });
      return [...(await Promise.all(names.map((name) => stage.system.lookup(name)))), sup] as number[];
    };

    it('R6 names the child', async () => {
      const [child] = (await supervised('one-for-one', 0)) as [number];
      for (let i = 0; i < 3; i++) leave(child, { type: 'crash', why: `no such file ${i}` });
      await said(
        [child],
        /^child-\d+ crashes again and again \(3 restarts so far, the last error: no such file 2\), and its code or what it is sent must change\.$/,
      );
    });

    it('R6 names the child that the supervisor and the siblings wait for, and when it is started again', async () => {
      const [child, sibling, sup] = (await supervised('one-for-all', LONG_MS)) as [number, number, number];
      leave(child, { type: 'crash', why: 'no such file' });
      expect(await until(child, 'crashing')).toMatch(
        /^child-\d+ is being started again in 10 min \(the last error: no such file\)\.$/,
      );
      expect(await until(sibling, 'crashing')).toMatch(
        /^child-\d+ waits .+ m?s for sup-\d+ \(be started again\), sup-\d+ .+ m?s for child-\d+ \(start\): child-\d+ is being started again in .* \(the last error: no such file\); the wait of \S+ ends by its deadline in .+\.$/,
      );
      expect(look(sup).sentence).toMatch(
        /^sup-\d+ waits .* for child-\d+ \(start\): child-\d+ is being started/,
      );
    });
  });
});
