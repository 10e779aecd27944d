/** The name of an activity: made of a mind's address and a room, and taken apart again. */
import { describe, expect, it } from 'vitest';
import { activityOf, belongsTo, mindOf, roomOf } from '../../src/actors/activity.js';
import { makeId, NOBODY } from '../../src/runtime/address.js';

const ROOMS = [
  'main',
  '',
  '/',
  'a/b',
  '/a//b/',
  '12/main',
  '7',
  'Küche',
  '部屋',
  '🦙/🦙',
  ' ',
  '\n',
  '%2F',
  '..',
];
/** The highest there is, and some whose digits begin alike. */
const MINDS = [1, 7, 12, 123, makeId(255, 2 ** 24 - 1, 2 ** 21 - 1)];

describe('the name of an activity', () => {
  it.each(ROOMS)('P3 with the room %j says whose it is and of which room', (room) => {
    for (const mind of MINDS) {
      const activity = activityOf(mind, room);
      expect([mindOf(activity), roomOf(activity)]).toEqual([mind, room]);
      for (const other of MINDS) expect(belongsTo(activity, other)).toBe(other === mind);
    }
  });

  it('P3 is of no other mind or room', () => {
    const all = MINDS.flatMap((mind) => ROOMS.map((room) => activityOf(mind, room)));
    expect(new Set(all).size).toBe(all.length);
  });

  it('P3 is nothing that a folder or a store is called', () => {
    for (const owner of ['/var/pages', 'pages', 'C:\\pages']) {
      expect(mindOf(owner) || NOBODY).toBe(NOBODY);
    }
  });
});
