/** A room that is made new: whom the pager asks, in which order, and what it does when one of them fails. */
import { beforeEach, describe, expect, it } from 'vitest';
import { pagerOver } from '../../../src/actors/pager/pager.js';
import type { Forget } from '../../../src/actors/pager/protocol.js';
import { AskTimeout, DiskFailure, NoSuchPage, RoomBusy, type TroupeError } from '../../../src/errors.js';
import type { PagesJob } from '../../../src/pages/job.js';
import { type ProbeActor, TestSystem } from '../../../src/testing/index.js';

const NAME = 'ada/a/b';
const busy = (by: string) =>
  expect.objectContaining({ code: 'RoomBusy', detail: { mind: 'ada', room: 'a/b', by } });

let stage: TestSystem;
let mind: ProbeActor;
let broker: ProbeActor;
let pager: number;
/** What removing the file comes to. */
let removal: TroupeError | undefined;
let removed: string[];

async function run(job: PagesJob): Promise<never> {
  if (job.what === 'open') return { owned: { path: '/pages', lock: 1 }, damaged: [] } as never;
  if (job.what !== 'remove') return { pages: [{ name: NAME, bytes: 1 }], damaged: [] } as never;
  removed.push(job.name);
  if (removal !== undefined) throw removal;
  return undefined as never;
}

beforeEach(async () => {
  [removed, removal] = [[], undefined];
  stage = await TestSystem.start();
  mind = await stage.probe('mind');
  broker = await stage.probe('broker');
  const engine = (await stage.probe('engine')).id;
  const args = { broker: broker.id, engine, residency: 0, dir: '/pages', diskBytes: 1_000, fingerprint: '' };
  const actor = pagerOver(() => ({ run, runWith: run, close: async () => {} }));
  pager = await stage.spawn({ name: 'pager', actor: actor as never, args });
  // What it holds of the disk, before anything was asked.
  await broker.expectMessage('holds');
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
const FILED = { file: { name: NAME } };

describe('a room to be forgotten', () => {
  it('T8 P6 is dropped by its mind, then by the broker, and then from disk', async () => {
    const forgotten = forget();
    const asked = await mind.expectMessage('forget-room');
    expect(asked.message).toMatchObject({ room: 'a/b' });
    expect([broker.left, removed]).toEqual([[], []]);
    asked.reply(true);
    const told = await broker.expectMessage('forget-room');
    expect(told.message).toMatchObject({ activity: `${mind.id}/a/b` });
    expect(removed).toEqual([]);
    told.reply(FILED);
    await stage.settle(forgotten);
    expect(removed).toEqual([NAME]);
    expect(broker.left).toMatchObject([{ type: 'disk', word: { type: 'removed', name: NAME } }]);
  });

  it('T8 has no file, and the folder of pages is left alone', async () => {
    const forgotten = forget();
    (await mind.expectMessage('forget-room')).reply(true);
    (await broker.expectMessage('forget-room')).reply(undefined);
    await stage.settle(forgotten);
    expect([removed, broker.left]).toEqual([[], []]);
  });

  it('T8 has a turn, and the broker hears nothing', async () => {
    const forgotten = forget();
    (await mind.expectMessage('forget-room')).reply(false);
    await expect(stage.settle(forgotten)).rejects.toEqual(busy('a turn waits or runs there'));
    expect(broker.left).toEqual([]);
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
    const lost = forget();
    (await mind.expectMessage('forget-room')).reply(true);
    (await broker.expectMessage('forget-room')).fail(
      new AskTimeout({ actor: 'broker', message: 'm', waitedMs: 1 }),
    );
    await expect(stage.settle(lost)).rejects.toThrow(AskTimeout);
    const again = forget();
    (await mind.expectMessage('forget-room')).reply(true);
    (await broker.expectMessage('forget-room')).reply(FILED);
    await stage.settle(again);
    expect(removed).toEqual([NAME]);
  });

  it.each<[string, TroupeError, string[]]>([
    ['is gone already', new NoSuchPage({ name: NAME }), ['removed']],
    ['cannot be removed', new DiskFailure({ path: 'p', operation: 'removing', reason: 'a test' }), []],
  ])('R4 P6 has a file that %s', async (_, error, words) => {
    removal = error;
    const forgotten = forget();
    (await mind.expectMessage('forget-room')).reply(true);
    (await broker.expectMessage('forget-room')).reply(FILED);
    if (words.length > 0) await stage.settle(forgotten);
    else await expect(stage.settle(forgotten)).rejects.toThrow(DiskFailure);
    const told = broker.left as readonly { readonly word?: { readonly type: string } }[];
    expect(told.flatMap(({ word }) => word?.type ?? [])).toEqual(words);
  });
});
