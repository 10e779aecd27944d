/**
 * Where the rooms of a troupe are, as observers see it: what the broker knows of them, and what lanes that run hold by now.
 */

import { mindOf, roomOf } from './actors/activity.js';
import type { RoomPlace } from './actors/broker/places.js';
import type { Rooms } from './actors/broker/protocol.js';
import type { LaneReport } from './actors/engine/status.js';
import { NoSuchActor } from './errors.js';
import { type PagesSeen, pagesSeen, type RoomSeen } from './observer/pages.js';
import { KnownAs } from './runtime/known-as.js';
import type { System } from './runtime/system.js';

/** Asked of the broker. `lanes`: as the engine shows them. */
export async function pagesOf(system: System, lanes: () => readonly LaneReport[]): Promise<PagesSeen> {
  const broker = await system.lookup('broker');
  if (broker === undefined) throw new NoSuchActor({ name: 'broker', near: undefined });
  const { places, ceilingBytes } = await system.ask<Rooms>(broker, { type: 'rooms' });
  const known = new KnownAs(system.inspect().actors);
  const shown = lanes();
  const rooms = places.map((place) => seenAs(place, shown, known));
  const of = (where: RoomSeen['where']): RoomSeen[] => rooms.filter((room) => room.where === where);
  const running = rooms.filter((room) => room.running).length;
  const files = places.flatMap(({ file }) => file ?? []);
  return pagesSeen(rooms, {
    ...{ lanes: shown.length, running, idle: of('lane').length - running },
    ...{ memoryPages: of('memory').length, memoryBytes: sum(of('memory')), ceilingBytes },
    ...{ diskOnly: of('disk').length, diskPages: files.length },
    diskBytes: files.reduce((bytes, { file }) => bytes + file.bytes, 0),
  });
}

const sum = (rooms: readonly RoomSeen[]): number => rooms.reduce((all, { bytes }) => all + (bytes ?? 0), 0);

function seenAs(place: RoomPlace, lanes: readonly LaneReport[], known: KnownAs): RoomSeen {
  const { activity, file, where } = place;
  const mind = mindOf(activity);
  const actor = known.actor(mind);
  const running = place.where === 'lane' && place.running;
  const held = running ? (lanes.find(({ lane }) => lane === place.lane)?.held ?? 0) : place.held;
  return {
    mind: actor === undefined ? `${mind}` : known.name(actor),
    room: roomOf(activity),
    where,
    lane: place.where === 'lane' ? place.lane : null,
    running,
    tokens: held,
    bytes: bytesOf(place),
    ageMs: place.where === 'disk' ? Math.max(0, Date.now() - (file?.file.time ?? 0)) : place.ageMs,
    generation: file?.file.generation ?? null,
  };
}

function bytesOf(place: RoomPlace): number | null {
  if (place.where === 'disk') return place.file?.bytes ?? 0;
  return place.where === 'lane' && place.running ? null : place.bytes;
}
