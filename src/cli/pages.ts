/**
 * `troupe pages`: the rooms of a running troupe, and where the context of each is: in a lane, in memory or on disk.
 */
import type { PagesSeen, RoomSeen } from '../observer/pages.js';
import { type AttachOptions, attach } from './attach.js';
import { counted, duration, size, whole } from './figures.js';
import { lined } from './table.js';

const HEADINGS = ['room', 'where', 'tokens', 'size', 'since', ''];

/** Answers the exit code. */
export async function pages(options: AttachOptions): Promise<number> {
  const client = await attach(options);
  try {
    process.stdout.write(`${describePages(await client.ask({ type: 'pages' })).join('\n')}\n`);
  } finally {
    client.close();
  }
  return 0;
}

export function describePages({ rooms, more, counts }: PagesSeen): string[] {
  const { lanes, running, idle, memoryPages, memoryBytes, ceilingBytes } = counts;
  const { diskOnly, diskPages, diskBytes } = counts;
  return [
    ...(rooms.length === 0 ? ['no room holds anything'] : lined([HEADINGS, ...rooms.map(rowOf)])),
    ...(more > 0 ? [`and ${whole(more)} more`] : []),
    '',
    ...lined([
      ['lanes', `${whole(running)} running and ${whole(idle)} idle of ${whole(lanes)}`],
      ['memory', `${counted(memoryPages, 'page')}, ${size(memoryBytes)} of ${size(ceilingBytes)}`],
      ['disk', `${counted(diskPages, 'page')}, ${size(diskBytes)}; ${whole(diskOnly)} nowhere else`],
    ]),
  ];
}

function rowOf({ mind, room, where, lane, running, tokens, bytes, ageMs, generation }: RoomSeen): string[] {
  const notes = [
    ...(running ? ['running'] : []),
    ...(generation === null ? [] : [`generation ${whole(generation)}${where === 'disk' ? '' : ' on disk'}`]),
  ];
  return [
    `${mind}/${room}`,
    lane === null ? where : `lane ${lane}`,
    whole(tokens),
    bytes === null ? '' : size(bytes),
    duration(ageMs),
    notes.join(', '),
  ];
}
