/**
 * `troupe peek NAME`: what lies in the mailbox of an actor of a running troupe. Contents are shown only when asked for, and
 * then without what people wrote.
 */
import type { Peeked } from '../observer/protocol.js';
import { type AttachOptions, attach } from './attach.js';
import { counted, duration, size, whole } from './figures.js';
import { lined } from './table.js';
import { oneLine } from './text.js';

type PeekedMessage = Peeked['queued'][number];

export interface PeekOptions extends AttachOptions {
  readonly preview?: boolean;
}

/** Answers the exit code. */
export async function peek(name: string, options: PeekOptions): Promise<number> {
  const client = await attach(options);
  try {
    const peeked = await client.ask({ type: 'peek', name, preview: options.preview === true });
    process.stdout.write(`${describePeek(peeked).join('\n')}\n`);
  } finally {
    client.close();
  }
  return 0;
}

/** The message in hand, those queued in the order they will be taken, and the waits. */
export function describePeek({ id, name, inHand, queued, more, waits, names }: Peeked): string[] {
  const called = (id: number): string => names[id] ?? (id === 0 ? 'nobody' : 'an actor that is gone');
  const message = (where: string, given: PeekedMessage): string[] => [
    where,
    given.type,
    `from ${called(given.from)}`,
    `${duration(given.ageMs)} old`,
    size(given.sizeBytes),
    given.preview ?? '',
  ];
  const total = queued.length + more;
  const rows = queued.map((given) => message(given.band, given));
  return [
    `${oneLine(names[id] ?? name)}: ${total === 0 ? 'no message' : counted(total, 'message')} queued`,
    ...lined(inHand === undefined ? rows : [message('in hand', inHand), ...rows]),
    ...(more > 0 ? [`and ${whole(more)} more`] : []),
    ...alike(waits).map(([{ on, reason, forMs, leftMs }, count]) =>
      oneLine(
        `waits ${duration(forMs)} for ${on === id ? 'itself' : called(on)} (${reason}), ${duration(leftMs)} left` +
          (count > 1 ? `, and ${counted(count - 1, 'time')} more` : ''),
      ),
    ),
  ];
}

/** The first of the waits that are for the same, and how many those are. */
function alike(waits: Peeked['waits']): [Peeked['waits'][number], number][] {
  const groups = new Map<string, [Peeked['waits'][number], number]>();
  for (const wait of waits) {
    const key = `${wait.on} ${wait.reason}`;
    groups.set(key, [groups.get(key)?.[0] ?? wait, (groups.get(key)?.[1] ?? 0) + 1]);
  }
  return [...groups.values()];
}
