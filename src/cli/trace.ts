/**
 * `troupe trace [NAME]`: messages of a running troupe as they come and go, a line each, for so many seconds.
 */
import type { TraceEvent } from '../observer/protocol.js';
import { type AttachOptions, attach } from './attach.js';
import { counted, duration, size } from './figures.js';
import { oneLine } from './text.js';

export interface TraceOptions extends AttachOptions {
  readonly type?: string;
  /** Seconds. */
  readonly for: number;
  readonly rate: number;
  readonly preview?: boolean;
}

/** Answers the exit code. */
export async function trace(name: string | undefined, options: TraceOptions): Promise<number> {
  const client = await attach(options);
  const leave = (): void => client.close();
  process.on('SIGINT', leave);
  try {
    const request = {
      type: 'messages',
      actor: name,
      message: options.type,
      forMs: 1_000 * options.for,
      perSecond: options.rate,
      preview: options.preview === true,
    } as const;
    const { leftOut } = await client.ask(request, (event) => {
      process.stdout.write(`${describeEvent(event)}\n`);
    });
    if (leftOut > 0) process.stdout.write(`and ${counted(leftOut, 'event')} more, left out\n`);
  } catch (error) {
    if (!client.hasEnded) throw error;
  } finally {
    process.off('SIGINT', leave);
    client.close();
  }
  return 0;
}

/** Columns of the time, of what became of the message, and of its type: longer ones push the rest of their line. */
const COLUMNS = { time: 10, event: 7, type: 14 } as const;

/** "  12.345 s  taken    turn            nobody -> ada  user". */
export function describeEvent(event: TraceEvent): string {
  const called = (name: unknown, id: unknown): string =>
    String(name ?? (id === 0 ? 'nobody' : `actor ${id}`));
  const { at, type, actor, actorName, from, fromName, band, ms, reason, sizeBytes, preview } = event;
  return [
    `${(Number(at) / 1_000).toFixed(3)} s`.padStart(COLUMNS.time),
    event.name.replace('message.', '').padEnd(COLUMNS.event),
    oneLine(String(type)).padEnd(COLUMNS.type),
    oneLine(`${called(fromName, from)} -> ${called(actorName, actor)}`),
    String(band),
    typeof ms === 'number' ? `in ${duration(ms)}` : '',
    typeof sizeBytes === 'number' ? size(sizeBytes) : '',
    typeof preview === 'string' ? oneLine(preview) : '',
    typeof reason === 'string' ? oneLine(`(${reason})`) : '',
  ]
    .filter((part) => part !== '')
    .join('  ');
}
