/** Pages that were read from disk, over engines that are lost: they do not say themselves whose they are. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Occupancy } from '../../../src/actors/broker/occupancy.js';
import type { EngineControl, PageRecord } from '../../../src/actors/engine/protocol.js';

const SHAPE = { lanes: 1, cells: 100, context: 100 };
const page: PageRecord = { activity: '5/main', page: 7, held: 20, bytes: 200 };

let occupancy: Occupancy;
let told: EngineControl[];
beforeEach(() => {
  told = [];
  occupancy = new Occupancy(1_000, { now: 0 }, (message) => told.push(message));
  occupancy.open(0, SHAPE, []);
  occupancy.adopt(page);
  occupancy.hear({ type: 'paged', record: page });
  told.length = 0;
});
const adopt = (epoch: number, record = page) => ({ type: 'adopt', epoch, record });

describe('a page that the engine has taken over', () => {
  it('E7 is told to an engine that has lost it', () => {
    for (const epoch of [1, 2]) occupancy.open(epoch, SHAPE, []);
    expect(told).toEqual([adopt(1), adopt(2)]);
    expect(occupancy.pages.all()).toEqual([page]);
  });

  it('E7 is told to one that takes it for the page of the mind that made it, and is not dropped as such', () => {
    occupancy.forget(4);
    occupancy.open(1, SHAPE, [{ ...page, activity: '4/main' }]);
    const drop = [{ ...page, activity: '4/main' }];
    expect(told).toEqual([adopt(1), { type: 'vacate', epoch: 1, claims: [], drop }]);
    expect(occupancy.pages.all()).toEqual([page]);
  });

  it('E7 is not told to one that has it, or a later one of its room', () => {
    occupancy.open(1, SHAPE, [page]);
    occupancy.open(2, SHAPE, [{ ...page, page: 8 }]);
    occupancy.open(3, SHAPE, []);
    expect(told).toEqual([]);
    expect(occupancy.pages.all()).toEqual([]);
  });

  it('E7 is not told once it has gone', () => {
    occupancy.hear({ type: 'unpaged', activity: page.activity, page: page.page });
    occupancy.open(1, SHAPE, []);
    expect(told).toEqual([]);
  });

  it('E7 is dropped from an engine whose lanes are too small for it, or when its mind is gone', () => {
    occupancy.open(1, { ...SHAPE, cells: 19 }, []);
    expect(told).toEqual([adopt(1), { type: 'vacate', epoch: 1, claims: [], drop: [page] }]);
    occupancy.forget(5);
    told.length = 0;
    occupancy.open(2, SHAPE, []);
    expect(told).toEqual([adopt(2), { type: 'vacate', epoch: 2, claims: [], drop: [page] }]);
    expect(occupancy.pages.all()).toEqual([]);
  });
});
