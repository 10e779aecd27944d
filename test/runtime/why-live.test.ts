/** `why` on actors that are really in trouble. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnownAs } from '../../src/runtime/known-as.js';
import type { Message } from '../../src/runtime/message.js';
import type { Sight } from '../../src/runtime/standing.js';
import { System } from '../../src/runtime/system.js';
import { type Why, why } from '../../src/runtime/why.js';
import { actorModule } from './stage.js';

const PUPPET = actorModule('puppet');
const [HOST_0, HOST_1] = [2, 3];

describe('R6 why, live', () => {
  let system: System;
  let count = 0;
  /** Everything asked here and left hanging, so that nothing is rejected unheard. */
  const hanging: Promise<unknown>[] = [];

  beforeAll(async () => {
    system = await System.start([
      { name: 'host-0', host: true },
      { name: 'host-1', host: true },
    ]);
  });
  afterAll(async () => {
    await system.stop();
    await Promise.allSettled(hanging);
  });

  const spawn = (name: string, thread = HOST_0) =>
    system.spawn({ name: `${name}-${count++}`, module: PUPPET, args: {}, thread });
  const leave = (to: number, message: Message): void => {
    const answer = system.ask(to, message, { deadlineMs: 60_000 });
    answer.catch(() => {});
    hanging.push(answer);
  };
  const forward = (to: number, message: Message): Message => ({
    type: 'forward',
    to,
    message,
    options: { deadlineMs: 60_000 },
  });
  const look = (id: number): Why => {
    const sight: Sight = { ...system.inspect(), holds: [] };
    const known = new KnownAs(sight.actors);
    const actor = known.actor(id);
    if (actor === undefined) throw new Error(`no actor is ${id}`);
    return why(sight, actor, known);
  };
  const until = async (id: number, verdict: Why['verdict']): Promise<string> => {
    const end = Date.now() + 15_000;
    for (;;) {
      const told = look(id);
      if (told.verdict === verdict) return told.sentence;
      if (Date.now() > end) throw new Error(`it stayed: ${told.sentence}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('R6 names a deadlocked pair, by whose wait was ended', async () => {
    const [ada, bob] = [await spawn('ada'), await spawn('bob')];
    leave(ada, forward(bob, forward(ada, { type: 'echo' })));
    await expect
      .poll(() => look(bob).sentence)
      .toMatch(
        /^bob-\d+ .*the last error: bob-\d+ waits for ada-\d+ \(echo\), ada-\d+ for bob-\d+ \(forward\): a deadlock; the newest wait, that of bob-\d+, was ended/,
      );
  });

  it('R6 names a deadlock of three over two threads, by whose wait was ended', async () => {
    const ada = await spawn('ada');
    const bob = await spawn('bob', HOST_1);
    const eve = await spawn('eve');
    leave(ada, forward(bob, forward(eve, forward(ada, { type: 'echo' }))));
    await expect
      .poll(() => [ada, bob, eve].map((id) => look(id).sentence).join('\n'))
      .toMatch(
        /the last error: \S+ waits for \S+ \(\w+\), \S+ for \S+ \(\w+\), \S+ for \S+ \(\w+\): a deadlock; the newest wait, that of \S+, was ended/,
      );
  });

  it('R6 names a ring of three over two threads, one of which has taken its answer over', async () => {
    const ada = await spawn('ada');
    const bob = await spawn('bob', HOST_1);
    const eve = await spawn('eve');
    const dan = await spawn('dan', HOST_1);
    leave(eve, forward(ada, { type: 'later' }));
    // Taken over before ada waits herself: a message that only lay there would make it a deadlock, which is ended.
    const adaNow = () => system.inspect().actors.find(({ id }) => id === ada);
    await expect.poll(adaNow).toMatchObject({ processed: 1 });
    leave(ada, forward(bob, forward(eve, { type: 'echo' })));
    await expect.poll(adaNow).toMatchObject({ state: 'awaiting' });
    leave(dan, forward(ada, { type: 'echo' }));
    const sentence = await until(dan, 'ring');
    expect(sentence).toMatch(
      /^dan-\d+ waits .* a ring of ada-\d+, bob-\d+ and eve-\d+, none of which takes a message: an answer that was taken over must come, .*; the wait of \w+-\d+ ends by its deadline in .*\.$/,
    );
    expect(look(dan).chain.length).toBe(4);
  });

  it('R6 names a handler that is stuck, through the chain that waits for it', async () => {
    const [ada, bob] = [await spawn('ada'), await spawn('bob', HOST_1)];
    leave(ada, forward(bob, { type: 'sleep', ms: 3_000 }));
    const sentence = await until(ada, 'outside');
    expect(sentence).toMatch(
      /^ada-\d+ waits \S+ m?s for bob-\d+ \(sleep\): bob-\d+ has sleep in hand for \S+ m?s, awaits something that is no actor \(thread host-1\), and must end it; /,
    );
  });

  it('R6 names an actor that has its thread, by what it keeps from others', async () => {
    const [hog, victim] = [await spawn('hog'), await spawn('victim')];
    const far = await spawn('far', HOST_1);
    system.tell(hog, { type: 'spin', ms: 2_500 });
    system.tell(victim, { type: 'note', value: 1 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    leave(far, forward(victim, { type: 'echo' }));
    const starved = await until(victim, 'starved');
    expect(starved).toMatch(
      /^victim-\d+ has 1 message queued and gets no turn: its thread host-0 has been busy for \S+ s with hog-\d+, which has spin in hand for \S+ s and must end it\.$/,
    );
    expect(await until(far, 'starved')).toMatch(
      /^far-\d+ waits .*: victim-\d+ has 1 message .* with hog-\d+/,
    );
    expect(look(hog).sentence).toMatch(
      /^hog-\d+ has spin in hand for \S+ s, which keeps its thread host-0 busy/,
    );
    await until(victim, 'idle');
  });

  it('R6 names a crash loop', async () => {
    const ada = await spawn('ada');
    for (let i = 0; i < 3; i++) leave(ada, { type: 'crash', why: `no such file ${i}` });
    await until(ada, 'crashing');
    await expect
      .poll(() => look(ada).sentence)
      .toMatch(/^ada-\d+ crashes again and again \(3 restarts so far, the last error: no such file 2\)/);
  });
});
