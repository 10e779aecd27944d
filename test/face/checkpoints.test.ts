/** Rooms of models whose lanes cannot be cut back to any position: wherever they come back from, they read little anew. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APART } from '../../src/actors/engine/marks.js';
import type { Mind, Troupe, TurnResult } from '../../src/index.js';
import { type Kind, writeRandomModel } from '../native/random-model.js';
import { circling, folder, startTroupe } from './stage.js';

const PROGRAM = fileURLToPath(new URL('./gone-on.program.mjs', import.meta.url));
const SYSTEM = 'hello world '.repeat(40);
const LONG = 'hello world '.repeat(100);
const runOf = ({ receipt }: TurnResult) => receipt.runs[0] as TurnResult['receipt']['runs'][number];
const mindOptions = { system: SYSTEM, sampling: circling };
const turnOptions = { maxTokens: 12 };

describe.each<Kind>(['recurrent', 'hybrid', 'window'])('a %s model', (kind) => {
  let place: ReturnType<typeof folder>;
  let model: string;
  let troupe: Troupe;
  const start = async (dir: string): Promise<void> => {
    troupe = await startTroupe({ model, lanes: 1, context: 1024, memory: { dir } });
  };
  beforeAll(async () => {
    place = folder();
    model = join(place.path, `${kind}.gguf`);
    writeRandomModel(model, kind);
    await start(join(place.path, 'pages'));
  });
  afterAll(async () => {
    await troupe.stop();
    place[Symbol.dispose]();
  });
  const say = async (mind: Mind, text: string, options = {}): Promise<TurnResult> => {
    const result = await mind.turn(text, { ...turnOptions, ...options }).result;
    expect(result.error).toBeUndefined();
    return result;
  };
  /** Tokens that the mind's lane or page has after a turn: the last one was not read. */
  const held = (result: TurnResult): number => result.receipt.promptTokens + runOf(result).produced - 1;
  /** What was said in a turn that read nothing of before. */
  const expectOnlyNew = (result: TurnResult, before: TurnResult): void => {
    const reused = held(before);
    expect(runOf(result)).toMatchObject({ reused, processed: result.receipt.promptTokens - reused });
    expect(runOf(result).pagedIn.bytes).toBeGreaterThan(0);
  };

  test('T8 E5 the system prompt is not read again when the oldest turns leave', async () => {
    await using mind = await troupe.mind('ada', mindOptions);
    const systemTokens = (await say(mind, 'hello', { maxTokens: 1 })).receipt.promptTokens;
    let result = await say(mind, LONG);
    for (let turns = 0; result.receipt.turnsDropped === 0 && turns < 9; turns++) {
      result = await say(mind, LONG);
    }
    expect(result.receipt.turnsDropped).toBeGreaterThan(0);
    // The first prompt was the system's, and a word with what the template writes around it.
    expect(runOf(result).reused).toBeGreaterThan(systemTokens - 2 * APART);
    const { bytes, ...lost } = troupe.inspect().checkpoints;
    expect([bytes > 0, lost]).toEqual([true, { evicted: 0, skipped: 0 }]);
  });

  test('E7 a room gone on with after a relaunch reads only what is new, and says the same', async () => {
    await using mind = await troupe.mind('ada', mindOptions);
    await using other = await troupe.mind('ben', mindOptions);
    await say(other, LONG);
    const undisturbed = await say(other, 'hello');
    const first = await say(mind, LONG);
    await troupe.relaunch({ lanes: 3 });
    const result = await say(mind, 'hello');
    expect(result.text).toBe(undisturbed.text);
    expectOnlyNew(result, first);
  });

  test('case-18 P5 a room gone on with in another process reads only what is new, and says the same', async () => {
    await using mind = await troupe.mind('ada', mindOptions);
    const first = await say(mind, LONG);
    expect(held(first)).toBeGreaterThan(600);
    await mind.spill();
    const undisturbed = await say(mind, 'hello');
    await troupe.stop();
    const options = JSON.stringify({ mind: mindOptions, turn: turnOptions });
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[PROGRAM, model, join(place.path, 'pages'), options, 'hello'],
    ]);
    const result = JSON.parse(stdout) as TurnResult;
    expect(result.text).toBe(undisturbed.text);
    expectOnlyNew(result, first);
  });
});
