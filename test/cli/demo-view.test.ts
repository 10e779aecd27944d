import { describe, expect, it } from 'vitest';
import { type DemoState, drawDemo, type Player, summarise } from '../../src/cli/demo-view.js';
import { columnsOf } from '../../src/cli/text.js';

const player = (name: string, given: Partial<Player> = {}): Player => ({
  name,
  gene: '',
  state: 'waiting',
  queued: 0,
  turnsEnded: 0,
  turnsAsked: 3,
  words: '',
  ...given,
});
const state = (players: readonly Player[]): DemoState => ({
  model: 'parlour.gguf',
  elapsedMs: 1500,
  tokensPerSecond: 1234.4,
  lanes: [
    { lane: 0, state: 'running', held: 71, mind: 'ada' },
    { lane: 1, state: 'empty', held: 0, mind: '' },
  ],
  moves: { pagesOut: 1, pagesIn: 1_200, genesIn: 2, genesOut: 1, newest: ['ada in', 'kjv to device'] },
  players,
});

describe('U2 the live view', () => {
  it('U2 shows the whole, each lane and each mind', () => {
    const words = 'It was a dark night.';
    const players = [
      player('ada', { gene: 'kjv', state: 'speaking', queued: 2, turnsEnded: 1, words }),
      player('bob'),
    ];
    expect(drawDemo(state(players), 80, 24).map((line) => line.trimEnd())).toEqual([
      'parlour.gguf  2 minds on 2 lanes  1 of 6 turns  1,234 tokens/s  1.5 s',
      '',
      'lane 0   running  ada           71 tokens',
      'lane 1   empty',
      'moved    1 context out of lanes, 1,200 back in; 2 genes in, 1 out: ada in, kjv to device',
      '',
      'mind          gene      doing     mailbox  turns  words',
      'ada           kjv       speaking  2        1/3    It was a dark night.',
      'bob                     waiting   0        0/3',
    ]);
  });

  it('U2 fits the terminal: long words keep their end, minds without room are counted, speakers stay', () => {
    const many = Array.from({ length: 30 }, (_, i) => player(`mind-${i}`));
    const speaker = player('ada', { state: 'speaking', words: `${'x'.repeat(200)} at last` });
    const lines = drawDemo(state([...many, speaker]), 60, 12);
    expect(lines.length).toBe(12);
    expect(lines.find((line) => line.startsWith('ada'))).toMatch(/…x+ at last$/);
    expect(lines.at(-1)).toBe('and 27 minds more');
    for (const line of lines.slice(7)) expect(columnsOf(line)).toBeLessThanOrEqual(60);
  });
});

describe('U2 the summary', () => {
  const receipt = (given: { produced: number; laneMs: number; roomMs: number; firstMs: number }) => ({
    mind: 'ada',
    room: 'main',
    turn: 1,
    model: 'm',
    phenotype: { genes: [], scales: [] },
    genesMissed: { genes: 0, bytes: 0 },
    runs: [
      {
        lane: 0,
        processed: 100,
        reused: 10,
        shared: 0,
        pagedIn: { bytes: 0, ms: 0 },
        fromDisk: { bytes: 0, ms: 0, failed: undefined },
        produced: given.produced,
        waitedMs: 0,
        promptMs: 0,
        decodeMs: 0,
        outcome: 'stop' as const,
      },
    ],
    waits: { lane: given.laneMs, room: given.roomMs },
    outcome: 'stop' as const,
    seed: 1,
    promptTokens: 110,
    maxTokens: 64,
    turnsDropped: 0,
    firstPieceMs: given.firstMs,
    totalMs: 0,
  });

  it('U2 adds up tokens, waits and first words', () => {
    const receipts = [
      receipt({ produced: 600, laneMs: 100, roomMs: 1000, firstMs: 1200 }),
      receipt({ produced: 400, laneMs: 300, roomMs: 0, firstMs: 400 }),
    ];
    expect(summarise(receipts, 2, 2000)).toEqual([
      '2 minds, 2 turns in 2.0 s: 2 stop',
      '1,000 tokens produced, 500 a second; prompts: 200 processed, 20 reused',
      'waits for a lane: mean 200 ms, longest 300 ms, all together 400 ms',
      'from its turn in the room to the first words: mean 300 ms, longest 400 ms',
    ]);
  });

  it('U2 of nothing is a summary too', () => {
    expect(summarise([], 1, 0)[0]).toBe('1 mind, 0 turns in 0 ms: ');
  });
});
