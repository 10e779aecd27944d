/** A room that is made new: whom the pager asks, in which order, and what it does when one of them fails. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { DiskWord } from '../../../src/actors/broker/protocol.js';
import { pagerOver } from '../../../src/actors/pager/pager.js';
import type { Forget } from '../../../src/actors/pager/protocol.js';
import {
  AskTimeout,
  DeadlineExceeded,
  DiskFailure,
  NoSuchPage,
  PublicationUnfinished,
  RoomBusy,
  type TroupeError,
} from '../../../src/errors.js';
import type { PagesJob } from '../../../src/pages/job.js';
import { Band, type Message } from '../../../src/runtime/message.js';
import { type ProbeActor, TestSystem } from '../../../src/testing/index.js';

const NAME = 'ada/a/b';
const FILE = { name: NAME, generation: 1, time: 0, fingerprint: '', cells: 10, bytes: 100 };
const busy = (by: string) =>
  expect.objectContaining({ code: 'RoomBusy', detail: { mind: 'ada', room: 'a/b', by } });

let stage: TestSystem;
let mind: ProbeActor;
let broker: ProbeActor;
let pager: number;
/** What writing the file comes to, and removing it. */
let writing: () => Promise<void>;
let removing: () => Promise<void>;
/** What is done on disk. */
let jobs: string[];
/** What is there from the beginning. */
let listed: readonly object[];

async function run(job: PagesJob): Promise<never> {
  if (job.what === 'open') return { owned: { path: '/pages', lock: 1 }, damaged: [] } as never;
  if (job.what === 'list') return { pages: listed, damaged: [] } as never;
  jobs.push(job.what);
  await (job.what === 'remove' ? removing() : writing());
  return FILE as never;
}

const nothing = async (): Promise<void> => {};
const failing = (error: TroupeError) => async (): Promise<void> => {
  throw error;
};
const brokenDisk = failing(new DiskFailure({ path: 'p', operation: 'removing', reason: 'a test' }));

beforeEach(async () => {
  [jobs, writing, removing, listed] = [[], nothing, nothing, []];
  stage = await TestSystem.start();
  mind = await stage.probe('mind');
  broker = await stage.probe('broker');
  const engine = (await stage.probe('engine')).id;
  const args = { broker: broker.id, engine, residency: 0, dir: '/pages', diskBytes: 1_000, fingerprint: '' };
  const actor = pagerOver(() => ({ run, runWith: run, close: async () => {} }));
  pager = await stage.spawn({ name: 'pager', actor: actor as never, args });
  // What it holds of the disk, before anything was asked.
  await broker.expectMessage('holds');
  await broker.expectMessage('here');
});

const what = () => ({
  ...{ activity: `${mind.id}/a/b`, mind: mind.id, room: 'a/b', name: NAME, deadlineMs: 1_000 },
});
function forget(): Promise<undefined> {
  const message: Forget = { type: 'forget', ...what() };
  const answer = stage.system.ask<undefined>(pager, { ...message }, { deadlineMs: 5_000 });
  answer.catch(() => {});
  return answer;
}
const pageOut = (given: object = {}) => {
  const answer = stage.system.ask(pager, { type: 'page-out', ...what(), ...given }, { deadlineMs: 5_000 });
  answer.catch(() => {});
  return answer;
};
/** Mind and broker have dropped it. */
async function dropped(): Promise<void> {
  (await mind.expectMessage('forget-room')).reply(true);
  (await broker.expectMessage('forget-room')).reply(true);
}
/** Lets all be done that is under way, and answers what the broker has heard. */
async function heard(): Promise<(string | undefined)[]> {
  await stage.advance(100);
  const words: (string | undefined)[] = [];
  for (const message of broker.left as readonly (Message & { readonly word?: DiskWord })[]) {
    await broker.expectMessage(message.type);
    if (message.type !== 'here') words.push(message.word?.type ?? message.type);
  }
  return words;
}
/** The user has it written; answers with what that was refused with. */
async function spill(): Promise<unknown> {
  const message = { type: 'spill', drop: false, transcript: new Uint8Array(), ...what() };
  const answer = stage.system.ask(pager, message, { deadlineMs: 5_000 }).then(nothing, (error) => error);
  const page = { activity: what().activity, page: 7, held: 10, bytes: 100 };
  (await broker.expectMessage('page')).reply({ page, file: undefined });
  return stage.settle(answer);
}
/** It is written for want of memory. */
async function lend(): Promise<void> {
  const page = { activity: what().activity, mind: mind.id, page: 7, bytes: 100, isFiled: false };
  broker.tell(pager, { type: 'put-away', pages: [page], deadlineMs: 1_000 }, { band: Band.reserved });
  (await mind.expectMessage('transcript')).reply({ name: 'ada', exchanges: [] });
  expect(await heard()).toEqual(['filed', 'put-away', 'holds']);
}
function takeBack(): void {
  broker.tell(pager, { type: 'take-back', name: NAME }, { band: Band.reserved });
}

describe('a room to be forgotten', () => {
  it('T8 P6 is dropped by its mind, then by the broker, and then from disk', async () => {
    await spill();
    await heard();
    const forgotten = forget();
    const asked = await mind.expectMessage('forget-room');
    expect(asked.message).toMatchObject({ room: 'a/b' });
    expect(broker.left).toEqual([]);
    asked.reply(true);
    const told = await broker.expectMessage('forget-room');
    expect(told.message).toMatchObject({ activity: what().activity });
    expect(jobs).toEqual(['spill']);
    told.reply(true);
    await stage.settle(forgotten);
    expect(jobs).toEqual(['spill', 'remove']);
    expect(await heard()).toEqual(['removed', 'holds']);
  });

  it('T8 has no file, and the folder of pages is left alone', async () => {
    listed = [FILE];
    const forgotten = forget();
    await dropped();
    await stage.settle(forgotten);
    expect([jobs, broker.left]).toEqual([[], []]);
  });

  it('T8 has a turn, and the broker hears nothing', async () => {
    const forgotten = forget();
    (await mind.expectMessage('forget-room')).reply(false);
    await expect(stage.settle(forgotten)).rejects.toEqual(busy('a turn waits or runs there'));
    expect(broker.left).toEqual([]);
  });

  it('R4 T8 has a run that its mind has lost, and its file is left for the next time', async () => {
    await spill();
    await heard();
    const forgotten = forget();
    (await mind.expectMessage('forget-room')).reply(true);
    (await broker.expectMessage('forget-room')).reply(false);
    await expect(stage.settle(forgotten)).rejects.toEqual(busy('a run there has yet to end'));
    expect(jobs).toEqual(['spill']);
  });

  it('T8 is being moved, and its mind hears nothing', async () => {
    void pageOut();
    await broker.expectMessage('request');
    await expect(stage.settle(forget())).rejects.toEqual(busy('its page is being moved, written or read'));
    expect(mind.left).toEqual([]);
  });

  it('T8 is not moved nor forgotten a second time meanwhile, as other rooms may be', async () => {
    const forgotten = forget();
    const asked = await mind.expectMessage('forget-room');
    await expect(stage.settle(pageOut())).rejects.toEqual(busy('it is being forgotten'));
    await expect(stage.settle(forget())).rejects.toEqual(busy('it is being forgotten'));
    void pageOut({ activity: `${mind.id}/a`, name: 'ada/a' });
    await broker.expectMessage('request');
    asked.reply(false);
    await expect(stage.settle(forgotten)).rejects.toThrow(RoomBusy);
    void pageOut();
    await broker.expectMessage('request');
  });

  it('R4 T8 that the broker loses is forgotten when that is asked for again', async () => {
    await spill();
    await heard();
    const lost = forget();
    (await mind.expectMessage('forget-room')).reply(true);
    (await broker.expectMessage('forget-room')).fail(
      new AskTimeout({ actor: 'broker', message: 'm', waitedMs: 1 }),
    );
    await expect(stage.settle(lost)).rejects.toThrow(AskTimeout);
    const again = forget();
    await dropped();
    await stage.settle(again);
    expect(jobs).toEqual(['spill', 'remove']);
  });
});

describe('the file of a room to be forgotten', () => {
  it('R4 P6 is gone already', async () => {
    await spill();
    removing = failing(new NoSuchPage({ name: NAME }));
    await heard();
    const forgotten = forget();
    await dropped();
    await stage.settle(forgotten);
  });

  it.each([
    ['is there for its own sake', async () => void (await spill())],
    ['was lent, and is not wanted any more', lend],
  ])('R4 P6 cannot be removed, and is when that is asked for again: it %s', async (_, write) => {
    await write();
    removing = brokenDisk;
    takeBack();
    await heard();
    for (const error of [DiskFailure, undefined]) {
      if (error === undefined) removing = nothing;
      const forgotten = forget();
      await dropped();
      if (error !== undefined) await expect(stage.settle(forgotten)).rejects.toThrow(error);
      await stage.settle(forgotten.catch(nothing));
      await heard();
    }
    jobs.length = 0;
    const forgotten = forget();
    await dropped();
    await stage.settle(forgotten);
    expect(jobs).toEqual([]);
  });

  it('R5 P6 is just being removed, which is waited for, until the deadline', async () => {
    await lend();
    let end = (): void => {};
    removing = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    takeBack();
    await heard();
    const late = forget();
    await dropped();
    await expect(stage.settle(late)).rejects.toThrow(DeadlineExceeded);
    const forgotten = forget();
    await dropped();
    await stage.advance(500);
    end();
    await stage.settle(forgotten);
    expect(jobs).toEqual(['spill', 'remove']);
  });

  it('P6 goes though nobody knows whether it was written', async () => {
    writing = failing(new PublicationUnfinished({ name: NAME, path: 'p', reason: 'a test' }));
    expect(await spill()).toBeInstanceOf(PublicationUnfinished);
    await heard();
    const forgotten = forget();
    await dropped();
    await stage.settle(forgotten);
    expect(jobs).toEqual(['spill', 'remove']);
  });
});
