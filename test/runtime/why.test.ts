import { describe, expect, it, test } from 'vitest';
import { duration } from '../../src/runtime/duration.js';
import { KnownAs } from '../../src/runtime/known-as.js';
import type { Sight } from '../../src/runtime/standing.js';
import { type Why, why } from '../../src/runtime/why.js';
import { asking, sightOf } from './planted.js';

const ask = (sight: Sight, name: string): Why => {
  const known = new KnownAs(sight.actors);
  const actor = known.find(name);
  if (actor === undefined) throw new Error(`no actor is named ${name}`);
  return why(sight, actor, known);
};
const queued = (user: number) => ({ system: 0, control: 0, user });
const lanes = ['mind/bo', 'mind/cy'].map((holder, lane) => ({
  what: `lane ${lane}`,
  keeper: 'broker',
  holder,
  worker: 'engine',
}));
const mind = (name: string) => ({ name: `mind/${name}`, kind: 'mind' });
const forLane = { on: 'broker', reason: 'lane', forMs: 3_200, leftMs: 3_596_800 };

describe('R6 why, in one sentence', () => {
  const cases: [what: string, verdict: Why['verdict'], sight: Sight, sentence: string][] = [
    [
      'an actor that waits for nothing',
      'idle',
      sightOf([{ name: 'ada' }]),
      'ada waits for nothing and has no message queued or in hand.',
    ],
    [
      'a handler in hand for long',
      'handling',
      sightOf(
        [{ name: 'ada', state: 'handling', inHand: { type: 'sum', forMs: 12_300 }, depth: queued(3) }],
        [{ name: 'host-0', sinceSliceMs: 12_300 }],
      ),
      'ada has sum in hand for 12.3 s with 3 messages queued behind it, which keeps its thread host-0 busy, and must end it.',
    ],
    [
      'a handler that awaits something of its own',
      'outside',
      sightOf([
        { name: 'ada', state: 'awaiting', inHand: { type: 'fetch', forMs: 250_000 }, depth: queued(1) },
      ]),
      'ada has fetch in hand for 4 min 10 s with 1 message queued behind it, awaits something that is no actor (thread host-0), and must end it.',
    ],
    [
      'a chain of asks to a stuck handler',
      'outside',
      sightOf([
        asking('ada', 'bob', 'greet', 3_200, 1_800),
        asking('bob', 'eve', 'fetch', 3_100, 900),
        { name: 'eve', state: 'awaiting', inHand: { type: 'fetch', forMs: 3_100 } },
      ]),
      'ada waits 3.2 s for bob (greet), bob 3.1 s for eve (fetch): eve has fetch in hand for 3.1 s, awaits something that is no actor (thread host-0), and must end it; the wait of bob ends by its deadline in 900 ms.',
    ],
    [
      'an ask of one that owes the answer',
      'idle',
      sightOf([asking('ada', 'bob', 'later', 3_200, 1_800), { name: 'bob' }]),
      'ada waits 3.2 s for bob (later): bob has no message queued or in hand: it has taken what it was sent, and owes the answer; the wait of ada ends by its deadline in 1.8 s.',
    ],
    [
      'an ask of one that is gone',
      'gone',
      sightOf([asking('ada', 'bob', 'later', 3_200, -100)]),
      'ada waits 3.2 s for an actor that is gone (later): nobody is left to answer; the wait of ada is 100 ms past its deadline.',
    ],
    [
      'a pair that asks each other',
      'ring',
      sightOf([asking('ada', 'bob', 'ping', 3_200, 1_800), asking('bob', 'ada', 'pong', 3_100, 1_900)]),
      'ada waits 3.2 s for bob (ping), bob 3.1 s for ada (pong): a ring of ada and bob, none of which takes a message: an answer that was taken over must come, or the newest wait ends as a deadlock; the wait of ada ends by its deadline in 1.8 s.',
    ],
    [
      'a ring of three, seen from outside',
      'ring',
      sightOf([
        asking('dan', 'ada', 'ask', 900, 100),
        asking('ada', 'bob', 'ping', 3_200, 1_800),
        asking('bob', 'eve', 'pong', 3_100, 1_900),
        asking('eve', 'ada', 'pang', 3_000, 2_000),
      ]),
      'dan waits 900 ms for ada (ask), ada 3.2 s for bob (ping), bob 3.1 s for eve (pong), eve 3.0 s for ada (pang): a ring of ada, bob and eve, none of which takes a message: an answer that was taken over must come, or the newest wait ends as a deadlock; the wait of ada ends by its deadline in 1.8 s.',
    ],
    [
      'one that asks itself',
      'ring',
      sightOf([asking('ada', 'ada', 'ping', 3_200, 1_800)]),
      'ada waits 3.2 s for itself (ping): a ring of ada, which takes no message: an answer that was taken over must come, or the newest wait ends as a deadlock; the wait of ada ends by its deadline in 1.8 s.',
    ],
    [
      'a ring in which one can still take messages',
      'ring',
      sightOf([
        asking('ada', 'bob', 'ping', 3_200, 1_800),
        { name: 'bob', waits: { on: 'ada', reason: 'pong', forMs: 3_100, leftMs: 60_000 } },
      ]),
      'ada waits 3.2 s for bob (ping), bob 3.1 s for ada (pong): a ring of ada and bob, where bob can still take messages and must go on; the wait of ada ends by its deadline in 1.8 s.',
    ],
    [
      'one that waits for its own earlier work',
      'ring',
      sightOf([{ name: 'ada', waits: { on: 'ada', reason: 'room', forMs: 3_200, leftMs: 1_800 } }]),
      'ada waits 3.2 s for itself (room): earlier work of its own must end first; the wait of ada ends by its deadline in 1.8 s.',
    ],
    [
      'an actor whose messages are never taken',
      'starved',
      sightOf(
        [
          { name: 'ada', depth: queued(3), oldestMs: 2_500 },
          { name: 'hog', state: 'handling', inHand: { type: 'spin', forMs: 2_400 } },
        ],
        [{ name: 'host-0', sinceSliceMs: 2_450 }],
      ),
      'ada has 3 messages queued and gets no turn: its thread host-0 has been busy for 2.5 s with hog, which has spin in hand for 2.4 s and must end it.',
    ],
    [
      'an ask that a frozen thread has not heard',
      'starved',
      sightOf(
        [
          { ...asking('ada', 'bob', 'greet', 3_000, 2_000), thread: 'host-1' },
          { name: 'bob' },
          { name: 'hog', state: 'handling', inHand: { type: 'spin', forMs: 4_000 } },
        ],
        [{ name: 'host-0', sinceSliceMs: 4_000 }, { name: 'host-1' }],
      ),
      'ada waits 3.0 s for bob (greet): bob gets no turn: its thread host-0 has been busy for 4.0 s with hog, which has spin in hand for 4.0 s and must end it; the wait of ada ends by its deadline in 2.0 s.',
    ],
    [
      'an ask that a thread has not heard, held by no handler',
      'starved',
      sightOf(
        [{ ...asking('ada', 'bob', 'greet', 3_000, 2_000), thread: 'host-1' }, { name: 'bob' }],
        [{ name: 'host-0', sinceSliceMs: 4_000 }, { name: 'host-1' }],
      ),
      'ada waits 3.0 s for bob (greet): bob gets no turn: its thread host-0 has been busy for 4.0 s with something that is no handler of an actor; the wait of ada ends by its deadline in 2.0 s.',
    ],
    [
      'a crash loop',
      'crashing',
      sightOf([{ name: 'ada', restarts: 4, processed: 5, lastError: 'no such file.' }]),
      'ada crashes again and again (4 restarts so far, the last error: no such file), and its code or what it is sent must change.',
    ],
    [
      'one that is being started again',
      'crashing',
      sightOf([{ name: 'ada', state: 'starting', restarts: 1, lastError: 'no such file' }]),
      'ada is being started again (1 restart so far, the last error: no such file).',
    ],
    [
      'one that waits to be started again',
      'crashing',
      sightOf([
        { name: 'ada', state: 'starting', startsInMs: 1_200, restarts: 1, lastError: 'no such file' },
      ]),
      'ada is being started again in 1.2 s (1 restart so far, the last error: no such file).',
    ],
    [
      'one that has crashed long ago',
      'idle',
      sightOf([{ name: 'ada', restarts: 4, lastError: 'no such file' }]),
      'ada (4 restarts so far, the last error: no such file) waits for nothing and has no message queued or in hand.',
    ],
    [
      'one whose thread is lost',
      'lost',
      sightOf([{ name: 'ada' }], [{ name: 'host-0', alive: false }]),
      'the thread host-0 is lost, and ada comes back when it is started again.',
    ],
    [
      'a mind that waits for a lane',
      'keeper',
      sightOf(
        [{ ...mind('ada'), waits: forLane }, { name: 'broker' }, { name: 'engine' }, mind('bo'), mind('cy')],
        undefined,
        lanes,
      ),
      'ada waits 3.2 s for broker (lane): broker has given lane 0 to bo and lane 1 to cy, and one of them must give back; the wait of ada ends by its deadline in 59 min 57 s.',
    ],
    [
      'a mind that waits for a lane of an engine that crashes',
      'crashing',
      sightOf(
        [
          { ...mind('ada'), waits: forLane },
          { name: 'broker' },
          { name: 'engine', restarts: 3, processed: 4, lastError: 'out of memory' },
          mind('bo'),
          mind('cy'),
        ],
        undefined,
        lanes,
      ),
      'ada waits 3.2 s for broker (lane), broker relies on engine (lane 0): engine crashes again and again (3 restarts so far, the last error: out of memory), and its code or what it is sent must change; the wait of ada ends by its deadline in 59 min 57 s.',
    ],
    [
      'a mind whose reply is being written, with more turns behind it',
      'served',
      sightOf(
        [
          { ...mind('bo'), waits: { on: 'mind/bo', reason: 'room', forMs: 5_000, leftMs: 9_000 } },
          { name: 'broker' },
          { name: 'engine' },
        ],
        undefined,
        lanes,
      ),
      'bo has lane 0, on which engine works.',
    ],
  ];

  it.each(cases)('R6 %s', (_, verdict, sight, sentence) => {
    const told = ask(sight, sight.actors[0]?.name ?? '');
    expect(told.sentence).toBe(sentence);
    expect(told.verdict).toBe(verdict);
  });

  it('R6 names the chain', () => {
    const sight = sightOf([
      asking('ada', 'bob', 'greet', 10, 10),
      asking('bob', 'eve', 'fetch', 10, 10),
      { name: 'eve' },
    ]);
    expect(ask(sight, 'ada')).toMatchObject({ actor: 'ada', chain: ['ada', 'bob', 'eve'] });
  });

  it('R6 an idle thread begins no slice, and that is no trouble', () => {
    const idle = [{ name: 'host-0', sinceSliceMs: 90_000 }];
    expect(ask(sightOf([{ name: 'ada' }, { name: 'bob' }], idle), 'ada').verdict).toBe('idle');
    // It took the message in the slice that it last began.
    const taken = sightOf(
      [{ ...asking('ada', 'bob', 'x', 90_000, 1), thread: 'host-1' }, { name: 'bob' }],
      idle,
    );
    expect(ask(taken, 'ada').verdict).toBe('idle');
    // A wait that is declared sends nothing, so nothing was to be heard.
    const declared = { name: 'ada', waits: { on: 'bob', reason: 'x', forMs: 5_000, leftMs: 1 } };
    expect(ask(sightOf([declared, { name: 'bob' }], idle), 'ada').verdict).toBe('idle');
  });

  it('R6 a message that was queued just now starves nobody', () => {
    const sight = sightOf([{ name: 'ada', depth: queued(2), oldestMs: 40 }]);
    expect(ask(sight, 'ada').verdict).toBe('idle');
  });

  it('R6 a long list of those who have it is counted', () => {
    const holders = Array.from({ length: 9 }, (_, i) => mind(`m${i}`));
    const holds = holders.map(({ name }, i) => ({
      what: `lane ${i}`,
      keeper: 'broker',
      holder: name,
      worker: 'engine',
    }));
    const sight = sightOf(
      [{ ...mind('ada'), waits: forLane }, { name: 'broker' }, ...holders],
      undefined,
      holds,
    );
    expect(ask(sight, 'ada').sentence).toContain('lane 5 to m5 and 3 more');
  });
});

describe('R6 names as they are known', () => {
  const known = (...names: string[]) =>
    new KnownAs(sightOf(names.map((name) => ({ name, kind: name.split('/')[0] ?? '' }))).actors);

  it.each([
    ['ada', 'mind/ada'],
    ['mind/ada', 'mind/ada'],
    ['a/b', 'mind/a/b'],
    ['broker', 'broker'],
  ])('R6 %s finds %s', (name, found) => {
    expect(known('mind/ada', 'mind/a/b', 'broker', 'mind/broker').find(name)?.name).toBe(found);
  });

  it('R6 a short name is shown only where it finds its actor', () => {
    const all = known('mind/ada', 'broker', 'mind/broker', 'thread/host-0');
    const shown = ['mind/ada', 'broker', 'mind/broker', 'thread/host-0'].map((name) => {
      const actor = all.find(name);
      return actor && all.name(actor);
    });
    expect(shown).toEqual(['ada', 'broker', 'mind/broker', 'thread/host-0']);
  });

  it('R6 two of one short name have only their whole ones', () => {
    const actors = sightOf([
      { name: 'mind/ada', kind: 'mind' },
      { name: 'poet/ada', kind: 'poet' },
    ]).actors;
    const all = new KnownAs(actors);
    expect([all.find('ada'), all.find('poet/ada')?.id]).toEqual([undefined, 2]);
    expect(actors.map((actor) => all.name(actor))).toEqual(['mind/ada', 'poet/ada']);
  });

  it('R6 the nearest name to a wrong one is known', () => {
    expect(known('mind/barnaby', 'broker').nearest('barnabi')).toBe('barnaby');
    expect(known('mind/barnaby', 'broker').nearest('zzz')).toBeUndefined();
  });
});

test.each([
  [0, '0 ms'],
  [850.4, '850 ms'],
  [999.6, '1.0 s'],
  [12_340, '12.3 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min'],
  [250_000, '4 min 10 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [273_600_000, '3 d 4 h'],
])('R6 %d ms are said as %s', (ms, said) => {
  expect(duration(ms)).toBe(said);
});
