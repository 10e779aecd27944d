import { describe, expect, it } from 'vitest';
import { LaneTable } from '../../../src/actors/broker/lane-table.js';
import { PageTable } from '../../../src/actors/broker/page-table.js';
import { placesOf } from '../../../src/actors/broker/places.js';
import { UNMADE } from '../../../src/actors/engine/protocol.js';

const filed = (activity: string, held: number) => ({
  ...{ activity, mind: 1, held, bytes: 100, said: 0, lent: false },
  file: { name: activity, generation: 2, time: 1, fingerprint: 'f', cells: held, bytes: 90 },
});

describe('where rooms are', () => {
  it('R6 each is in one place, with its age there, and with its file if it has one', () => {
    let now = 10;
    const lanes = new LaneTable();
    lanes.open(3);
    lanes.take(0, { grant: 1, activity: 'a' }, { cells: 50, stretches: [] }, now);
    lanes.take(1, { grant: 2, activity: 'b' }, { cells: 50, stretches: [] }, now);
    lanes.settle(1, 'b', { held: 20, bytes: 200, stretches: [] }, now);
    const pages = new PageTable(() => now);
    pages.put({ activity: 'c', page: 7, held: 30, bytes: 300 });
    now = 15;
    pages.put({ activity: 'd', page: UNMADE, held: 40, bytes: 400 });
    now = 25;
    // It was made meanwhile, and has been there since it was to be.
    pages.put({ activity: 'd', page: 8, held: 40, bytes: 410 });
    const files = new Map([filed('c', 30), filed('e', 50)].map((file) => [file.activity, file]));
    const [a, b, c, d, e] = placesOf(lanes.all, pages, files, now);
    expect(a).toMatchObject({ activity: 'a', where: 'lane', lane: 0, running: true, ageMs: 15 });
    expect(b).toMatchObject({ activity: 'b', where: 'lane', lane: 1, running: false, held: 20, ageMs: 15 });
    expect(c).toMatchObject({ activity: 'c', where: 'memory', bytes: 300, ageMs: 15 });
    expect(c?.file).toEqual(filed('c', 30));
    expect(d).toMatchObject({ activity: 'd', where: 'memory', bytes: 410, ageMs: 10 });
    expect(e).toMatchObject({ activity: 'e', where: 'disk', held: 50, file: filed('e', 50) });
  });

  it('R6 what is in a lane is in no page', () => {
    const lanes = new LaneTable();
    lanes.open(1);
    lanes.take(0, { grant: 1, activity: 'a' }, { cells: 50, stretches: [] }, 0);
    const pages = new PageTable(() => 0);
    pages.put({ activity: 'a', page: 7, held: 30, bytes: 300 });
    expect(placesOf(lanes.all, pages, new Map(), 0)).toHaveLength(1);
  });
});
