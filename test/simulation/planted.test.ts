/**
 * R7: each property is broken on purpose, and the checks find it.
 */
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/runtime/message.js';
import { type Batch, ENTRY, entryAt, Wire } from '../../src/runtime/wire.js';
import { explain, report, run, type Trial, trialOf } from '../../src/testing/simulation/index.js';
import { type RuntimeFault, runtimeSubject } from './runtime-subject.js';

/** Index of each entry that is so. */
function find(batch: Batch, is: (kind: Wire, type: string, ask: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = 0; at < batch.length; at += ENTRY) {
    const { kind, payload, ask } = entryAt(batch, at);
    if (is(kind, String((payload as Message | undefined)?.type), ask)) found.push(at);
  }
  return found;
}

const remove = (batch: Batch, at: number | undefined): void => {
  if (at !== undefined) batch.splice(at, ENTRY);
};
const repeat = (batch: Batch, at: number | undefined, times = 1): void => {
  if (at === undefined) return;
  const entry = batch.slice(at, at + ENTRY);
  for (let i = 0; i < times; i++) batch.push(...entry);
};

/** The first few times that it finds something to do. */
function few(plant: (batch: Batch) => void, times = 20): (batch: Batch) => void {
  let left = times;
  return (batch) => {
    const { length } = batch;
    if (left > 0) plant(batch);
    if (batch.length !== length) left--;
  };
}

const isBall = (kind: Wire, type: string, ask: number): boolean =>
  kind === Wire.user && type === 'ball' && ask === 0;
const isDrop = (kind: Wire, type: string): boolean => kind === Wire.user && type === 'drop';

const FLOOD: RuntimeFault[] = [{ kind: 'flood', at: 50, actor: 1, count: 9_000 }];
const STOPS: RuntimeFault[] = [1, 2, 3].map((actor) => ({ kind: 'stop', at: 300 * actor, actor }));
const CRASHES: RuntimeFault[] = [1, 2, 3].map((i) => ({ kind: 'crash', at: 300 * i, when: 'before' }));

const LOST: RuntimeFault[] = [2, 3, 4].map((thread) => ({ kind: 'lose', at: 200 * thread, thread }));
const FROZEN: RuntimeFault[] = [{ kind: 'freeze', at: 500, thread: 3 }];

/** What comes back with its thread has no module there. */
function astray(batch: Batch): void {
  for (const at of find(batch, (_, type) => type === 'spawn')) {
    const message = batch[at + 4] as Message & { again?: object; options: object };
    if (message.again !== undefined)
      batch[at + 4] = { ...message, options: { ...message.options, module: 'astray' } };
  }
}

describe('R7 the checks find what is planted', () => {
  test.each<[string, string, RuntimeFault[], (batch: Batch) => void]>([
    ['a message that comes twice', 'no message twice', [], few((b) => repeat(b, find(b, isBall)[0]))],
    [
      'messages of one sender in the wrong order',
      'order between two actors',
      [],
      (batch) => {
        const [first, second] = find(batch, isDrop);
        if (first === undefined || second === undefined) return;
        const moved = batch.splice(first, ENTRY);
        batch.splice(second, 0, ...moved);
      },
    ],
    ['a message that is lost', 'no message is lost without a word', [], (b) => remove(b, find(b, isBall)[0])],
    [
      'an answer that is given twice',
      'every ask settles once',
      [],
      (b) => repeat(b, find(b, (kind) => kind === Wire.answer)[0]),
    ],
    [
      'an end that nobody hears of',
      'a watcher hears of each end once',
      STOPS,
      (b) => remove(b, find(b, (kind, type) => kind === Wire.system && type === 'ended')[0]),
    ],
    [
      'a state that never comes to the store',
      'a restart begins from the state handed over',
      CRASHES,
      (b) => remove(b, find(b, (_, type) => type === 'save')[0]),
    ],
    ['actors that do not come back with their thread', 'who was not stopped is there', LOST, astray],
    [
      'credit that is lost',
      'credit comes back',
      FLOOD,
      (b) => remove(b, find(b, (kind) => kind === Wire.credit)[0]),
    ],
    [
      'more on the way than the window',
      'credit never exceeds the window',
      FLOOD,
      few((b) => repeat(b, find(b, isDrop)[0], 5_000), 1),
    ],
  ])('R7 %s', async (_, property, faults, plant) => {
    const subject = runtimeSubject({ planted: (_to, batch) => plant(batch) });
    const { violations } = await run(subject, { seed: 4, faults, messages: 2_200 });
    expect(violations.map((violation) => violation.property)).toContain(property);
    const clean = await run(runtimeSubject(), { seed: 4, faults, messages: 2_200 });
    expect(clean.violations).toEqual([]);
  });

  test('R7 a frozen thread that is not replaced', async () => {
    const trial = { seed: 4, faults: FROZEN, messages: 2_010 };
    const { violations } = await run(runtimeSubject({ frozenMs: 0 }), trial);
    expect(violations.map(({ property }) => property)).toContain('a frozen thread is replaced');
    expect((await run(runtimeSubject(), trial)).violations).toEqual([]);
  });

  test('R7 a failing seed is made small, and its report says how to run it again', async () => {
    const once = (batch: Batch): void => remove(batch, find(batch, (_, type) => type === 'save')[0]);
    const subject = runtimeSubject({ planted: (_to, batch) => once(batch) });
    const trial: Trial<RuntimeFault> = trialOf(subject, 12);
    const violation = (await run(subject, trial)).violations.find(({ property }) =>
      property.includes('restart'),
    );
    expect(violation).toBeDefined();
    if (violation === undefined) return;
    const failure = await explain(subject, trial, violation);
    expect(failure.kept.length).toBeLessThan(trial.faults.length);
    expect(failure.trial.messages).toBeLessThanOrEqual(trial.messages);
    const text = report(subject, failure);
    expect(text).toContain('seed 12 of runtime: broken: a restart begins from the state handed over');
    const kept = failure.kept.length > 0 ? failure.kept.join(',') : 'none';
    expect(text).toContain(
      `npm run -s simulate -- --subject runtime --seed 12 --faults ${kept} --messages ${failure.trial.messages}`,
    );
    const again = await run(subject, failure.trial);
    expect(again.violations.some(({ property }) => property === violation.property)).toBe(true);
  });
});
