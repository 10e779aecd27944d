/** The engine on models whose lanes cannot be cut back to any position: what it reads anew, and what the budget keeps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/engine/engine.js';
import type {
  EngineArgs,
  EngineControl,
  EngineToBroker,
  Move,
  Moved,
  Pieces,
  Run,
  RunDone,
} from '../../../src/actors/engine/protocol.js';
import { createStatus, readCheckpoints, readLanes } from '../../../src/actors/engine/status.js';
import { Band } from '../../../src/runtime/message.js';
import { addon, greedy } from '../../native/fixtures.js';
import { type Kind, writeRandomModel } from '../../native/random-model.js';
import { Party, TestThread } from '../thread.js';

type Heard = RunDone | Pieces | Moved;
const place = mkdtempSync(join(tmpdir(), 'troupe-engine-'));
afterAll(() => rmSync(place, { recursive: true }));

const tokens = (length: number, seed = 0): number[] =>
  Array.from({ length }, (_, i) => 4 + ((i * 37 + seed * 11) % 250));

/** Of a token that is a byte. */
const letter = (token: number): string => String.fromCharCode(token - 4);
const isLetter = (token: number): boolean => /^[!-~]$/.test(letter(token));

describe.each<Kind>(['recurrent', 'hybrid', 'window'])('a %s model', (kind) => {
  const model = join(place, `${kind}.gguf`);
  beforeAll(() => writeRandomModel(model, kind));
  let thread: TestThread;
  let engine: number;
  let ada: Party<Run | Move | EngineControl, Heard>;
  let status: Int32Array;

  async function start(checkpointBytes: number): Promise<void> {
    thread = await TestThread.start();
    status = createStatus();
    const broker = await Party.enter<EngineControl, EngineToBroker>(thread, 'broker', () => engine);
    ada = await Party.enter(thread, 'ada', () => engine);
    const args: EngineArgs = {
      ...{ model, mmap: false, gpuLayers: 0, shape: { lanes: 3, cells: 1536, context: 512 } },
      ...{ rows: 256, threads: 1, promptThreads: 1, flashAttention: true },
      ...{ pageBytes: 2 ** 28, checkpointBytes, broker: broker.id, owner: 'it', status },
    };
    engine = await thread.spawn(definition as never, 'engine', args);
  }
  afterEach(async () => {
    await thread.stop();
    for (const id of addon.pages.list()) addon.pages.release(id);
  });

  let grants = 0;
  const done = async (): Promise<RunDone> => {
    for (;;) {
      const found = (await ada.hears()).find((message): message is RunDone => message.type === 'done');
      if (found !== undefined) return found;
    }
  };
  const run = async (
    given: Partial<Omit<Run, 'tokens'>> & { tokens: readonly number[] },
  ): Promise<RunDone> => {
    const grant = ++grants;
    const rest = {
      ...{
        type: 'run' as const,
        grant,
        epoch: 0,
        activity: 'a',
        lane: 0,
        continues: true,
        sharing: 0,
        vacated: 0,
      },
      ...{ genes: [], base: 0, partings: [], sampling: greedy, stops: [], maxTokens: 12 },
      ...{ reader: ada.id, turn: grant },
    };
    const { activity = 'a', lane = 0 } = given;
    const held = readLanes(status)[lane]?.held ?? 0;
    const message = {
      ...rest,
      continues: held > 0,
      ...given,
      activity,
      tokens: Int32Array.from(given.tokens),
    };
    ada.tell(message, Band.user);
    const result = await done();
    expect(result.error).toBeUndefined();
    return result;
  };
  const move = async (type: Move['type'], lane = 0): Promise<void> => {
    const continues = type === 'page-out';
    const grant = ++grants;
    ada.tell(
      { type, grant, epoch: 0, activity: 'a', lane, continues, sharing: 0, vacated: 0, mind: ada.id },
      Band.user,
    );
    for (;;) {
      const moved = (await ada.hears()).find((message): message is Moved => message.type === 'moved');
      if (moved === undefined) continue;
      expect(moved.error).toBeUndefined();
      return;
    }
  };

  const said = [...tokens(100), ...tokens(60, 1)];
  const other = [...tokens(100), ...tokens(70, 2)];
  /** What an engine says that has heard nothing before. */
  const cold = async (prompt: readonly number[], partings: readonly number[]): Promise<number[]> => {
    await start(2 ** 26);
    const { reply } = await run({ tokens: prompt, partings });
    await thread.stop();
    return [...reply];
  };

  it.each([
    ['in its lane', async () => {}],
    [
      'out of a page',
      async () => {
        await move('page-out');
        await move('page-in', 1);
      },
    ],
  ])('E5 P7 what parts from what was said goes on from a checkpoint, %s', async (_, between) => {
    const expected = await cold(other, [100]);
    await start(2 ** 26);
    await run({ tokens: said, partings: [100] });
    await between();
    const lane = readLanes(status).findIndex(({ held }) => held > 0);
    const again = await run({ tokens: other, partings: [100], lane });
    expect(again).toMatchObject({ reused: 100, processed: 70 });
    expect([...again.reply]).toEqual(expected);
  });

  it('E4 E5 a reply that was cut by a stop string is read again from its beginning', async () => {
    await start(2 ** 26);
    const free = { ...greedy, temperature: 3, seed: 1 };
    const { reply } = await run({ tokens: said, sampling: free, maxTokens: 60, activity: 'b', lane: 1 });
    const at = reply.findIndex((token, i) => isLetter(token) && isLetter(reply[i + 1] as number));
    const stop = [...reply.slice(at, at + 2)].map(letter).join('');
    const cut = await run({ tokens: said, sampling: free, maxTokens: 60, stops: [stop] });
    expect(cut.outcome).toBe('stop');
    const next = [...said, ...cut.reply, ...tokens(40, 3)];
    const result = await run({ tokens: next });
    // A lane with a window can still be cut to the very token.
    const kept = kind === 'window' ? said.length + cut.reply.length : said.length;
    expect(result).toMatchObject({ reused: kept, processed: next.length - kept });
  });

  it('P7 beyond the budget the lane that holds most loses its oldest after its first, and that is told', async () => {
    await start(2 ** 26);
    const long = tokens(400);
    await run({ tokens: long, partings: [100, 200, 300] });
    const { bytes } = readCheckpoints(status);
    await thread.stop();
    // Room for the four of a window of growing length, less one page of memory; or of a state.
    await start(bytes - 4096);
    await run({ tokens: long, partings: [100, 200, 300] });
    expect(readCheckpoints(status)).toMatchObject({ evicted: 1, skipped: 0 });
    expect(readCheckpoints(status).bytes).toBeLessThan(bytes);
    const evicted = thread.probes.filter(({ name }) => name === 'checkpoint.evicted');
    expect(evicted).toMatchObject([{ lane: 0, position: 200 }]);
  });

  it('P7 what the budget has no room for at all is skipped, and that is told', async () => {
    await start(0);
    const result = await run({ tokens: said, partings: [100] });
    expect([result.outcome, readCheckpoints(status)]).toEqual([
      'length',
      { bytes: 0, evicted: 0, skipped: 2 },
    ]);
    const skipped = thread.probes.filter(({ name }) => name === 'checkpoint.skipped');
    expect(skipped).toMatchObject([
      { lane: 0, checkpoints: 1 },
      { lane: 0, checkpoints: 1 },
    ]);
  });
});
