import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Troupe, type TroupeOptions } from '../../src/index.js';
import { addon } from '../native/fixtures.js';
import { othersFolder } from '../pages/others-folder.js';
import { folder, greedy, startTroupe, TINY } from './stage.js';

/** What a start throws, after which nothing may be left running. */
async function refusal(options: unknown): Promise<unknown> {
  const before = addon.live();
  try {
    const troupe = await Troupe.start(options as TroupeOptions);
    await troupe.stop();
  } catch (error) {
    expect(addon.live()).toEqual(before);
    return error;
  }
  throw new Error('it started');
}

/** Workers and ports that keep this process. */
const holding = () =>
  process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length;

const held = holding();
afterEach(() => expect(holding()).toBe(held));

describe('a model that cannot be used', () => {
  test('U1 no such file', async () => {
    expect(await refusal({ model: '/nowhere/none.gguf' })).toMatchObject({
      code: 'ModelNotFound',
      detail: { path: '/nowhere/none.gguf' },
      message: expect.stringMatching(/no such file/i),
    });
  });

  test('U1 a folder', async () => {
    using place = folder();
    expect(await refusal({ model: place.path })).toMatchObject({
      code: 'NotAModel',
      detail: { path: place.path },
      message: expect.stringMatching(/folder|directory/),
    });
  });

  test.each([
    ['an empty file', ''],
    ['a text', 'Once upon a time there was no model.'],
  ])('U1 %s', async (_what, text) => {
    using place = folder();
    const path = join(place.path, 'model.gguf');
    writeFileSync(path, text);
    expect(await refusal({ model: path })).toMatchObject({ code: 'NotAModel', detail: { path } });
  });

  test('U1 one that is cut short, with the bytes that are missing', async () => {
    using place = folder();
    const path = join(place.path, 'model.gguf');
    const whole = readFileSync(TINY);
    writeFileSync(path, whole.subarray(0, whole.length - 1000));
    expect(await refusal({ model: path })).toMatchObject({
      code: 'ModelTruncated',
      detail: { path, actualBytes: whole.length - 1000, expectedBytes: expect.any(Number) },
    });
  });

  test('U1 one that does not fit, with the bytes that it needs', async () => {
    expect(await refusal({ model: TINY, memory: { host: 50_000_000 } })).toMatchObject({
      code: 'ModelTooLarge',
      detail: { path: TINY, budgetBytes: 50_000_000, needBytes: expect.any(Number) },
    });
  });

  test('B6 one that does not fit on the device, whose budget binds here too, with the numbers', async () => {
    expect(await refusal({ model: TINY, memory: { device: 1_000_000 } })).toMatchObject({
      code: 'ModelTooLarge',
      message: expect.stringContaining('raise memory.device'),
      detail: { path: TINY, budget: 'memory.device', budgetBytes: 1_000_000, needBytes: expect.any(Number) },
    });
  });

  test('U1 one whose context alone does not fit', async () => {
    const memory = { host: 100_000_000 };
    expect(await refusal({ model: TINY, lanes: 256, context: 512, memory })).toMatchObject({
      code: 'ModelTooLarge',
    });
  });
});

describe('options of a start', () => {
  test.each<[string, unknown, string, string]>([
    ['no lanes', { lanes: 0 }, 'options.lanes', 'whole number from 1 to 256'],
    ['1,000 lanes', { lanes: 1000 }, 'options.lanes', 'whole number from 1 to 256'],
    ['lanes as text', { lanes: 'x' }, 'options.lanes', 'whole number'],
    ['half a lane', { lanes: 1.5 }, 'options.lanes', 'whole number'],
    ['a context of none', { context: 0 }, 'options.context', 'whole number'],
    ['a context that is no number', { context: Number.NaN }, 'options.context', 'whole number'],
    ['more context than was trained', { model: TINY, context: 1024 }, 'options.context', 'at most 512'],
    ['fewer cells than one lane', { model: TINY, context: 512, cells: 511 }, 'options.cells', '512'],
    ['fewer cells than lanes', { model: TINY, lanes: 64, context: 16, cells: 32 }, 'options.cells', '64'],
    ['no thread', { threads: 0 }, 'options.threads', 'whole number'],
    ['no host', { hosts: 0 }, 'options.hosts', 'whole number'],
    ['hosts as a list', { hosts: [] }, 'options.hosts', 'whole number'],
    ['a budget as text', { memory: { host: '1G' } }, 'options.memory.host', 'whole number'],
    ['a budget of nothing', { memory: { host: 0 } }, 'options.memory.host', 'whole number'],
    ['another budget', { memory: { hosts: 1 } }, 'options.memory.hosts', 'host in its place'],
    ['memory as a number', { memory: 5 }, 'options.memory', 'an object with device'],
    ['a folder of no name', { memory: { dir: '' } }, 'options.memory.dir', 'the path of a folder'],
    ['a folder of no path', { memory: { dir: 'a\0b' } }, 'options.memory.dir', 'the path of a folder'],
    ['a path that is none', { model: 7 }, 'options.model', 'a string'],
    ['a folder that is none', { dir: {} }, 'options.dir', 'a string'],
    ['a listener that is none', { onProgress: 'yes' }, 'options.onProgress', 'a function'],
    ['a misspelt name', { lane: 4 }, 'options.lane', 'lanes in its place'],
    ['a name of nothing known', { gpu: true }, 'options.gpu', 'only model, lanes'],
    ['a text', 'model.gguf', 'options', 'an object'],
    ['null', null, 'options', 'an object'],
    ['a list', [4], 'options', 'an object'],
  ])('U1 %s', async (_what, options, argument, expected) => {
    expect(await refusal(options)).toMatchObject({
      code: 'BadArgument',
      detail: { argument },
      message: expect.stringContaining(expected),
    });
  });

  test('U1 a folder that cannot be made', async () => {
    using place = folder();
    const file = join(place.path, 'file');
    writeFileSync(file, '');
    expect(await refusal({ model: TINY, dir: join(file, 'inside') })).toMatchObject({
      code: 'BadArgument',
      detail: { argument: 'options.dir' },
    });
  });

  test("U1 a folder that is a link, or another user's", async () => {
    using place = folder();
    const link = join(place.path, 'link');
    symlinkSync(place.path, link);
    for (const [dir, why] of [
      [link, `a link to ${place.path}; name the folder`],
      [othersFolder(), 'another user'],
    ] as const) {
      expect(await refusal({ model: TINY, dir })).toMatchObject({
        code: 'BadArgument',
        detail: { argument: 'options.dir' },
        message: expect.stringContaining(why),
      });
    }
  });

  test('U1 the folder is made for its owner only', async () => {
    using place = folder();
    const dir = join(place.path, 'a', 'b');
    await using _troupe = await startTroupe({ dir });
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  test('U1 a folder that is there keeps its mode', async () => {
    using place = folder();
    const dir = join(place.path, 'mine');
    mkdirSync(dir);
    const { mode } = statSync(dir);
    await using _troupe = await startTroupe({ dir });
    expect(statSync(dir).mode).toBe(mode);
    expect(existsSync(dir)).toBe(true);
  });

  test('U1 progress goes from the threads over the model to ready', async () => {
    const stages: string[] = [];
    await using _troupe = await startTroupe({ onProgress: ({ stage }) => stages.push(stage) });
    expect([stages[0], stages.at(-1)]).toEqual(['threads', 'ready']);
    expect(stages).toContain('model');
  });

  test.each(['threads', 'model', 'ready'])(
    'U1 a listener that throws at %s fails the start',
    async (when) => {
      const onProgress = ({ stage }: { stage: string }): void => {
        if (stage === when) throw new RangeError('no more');
      };
      const options = { model: TINY, onProgress };
      expect(await refusal(options)).toMatchObject({ message: 'no more' });
    },
  );
});

describe('a start that went well', () => {
  test('U1 the least of everything runs', async () => {
    await using troupe = await startTroupe({ lanes: 1, context: 16 });
    const mind = await troupe.mind('ada', { sampling: greedy });
    const { outcome, receipt } = await mind.turn('', { maxTokens: 1 }).result;
    expect([outcome, receipt.maxTokens]).toEqual(['length', 1]);
  });

  test('U1 two troupes in one process do not know of each other', async () => {
    await using first = await startTroupe({ lanes: 1 });
    await using second = await startTroupe({ lanes: 2 });
    const [a, b] = await Promise.all(
      [first, second].map((troupe) => troupe.mind('ada', { sampling: greedy })),
    );
    const [x, y] = await Promise.all(
      [a, b].map((mind) => mind?.turn('Good evening.', { maxTokens: 20 }).result),
    );
    expect(x?.text).toBe(y?.text);
    await first.stop();
    expect((await b?.turn('And?', { maxTokens: 4 }).result)?.outcome).toBe('length');
  });

  test('U1 nothing can be done after it has stopped', async () => {
    const troupe = await startTroupe({ lanes: 1 });
    const mind = await troupe.mind('ada');
    await Promise.all([troupe.stop(), troupe.stop()]);
    await expect(troupe.mind('ben')).rejects.toMatchObject({ code: 'SystemStopped' });
    expect(await mind.turn('Hello.').result).toMatchObject({
      outcome: 'failed',
      error: { code: 'SystemStopped' },
    });
    await mind.leave();
    expect(troupe.inspect().threads.map((thread) => thread.name)).toContain('main');
    await expect(troupe.peek(mind.id)).rejects.toMatchObject({ code: 'SystemStopped' });
    expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
  });
});
