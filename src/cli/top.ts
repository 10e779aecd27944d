/**
 * `troupe top`: the threads and actors of a running troupe, live on a terminal; elsewhere a table every so often.
 */
import type { Client } from '../observer/client.js';
import type { Observation } from '../observer/observation.js';
import { DEFAULT_ACTORS } from '../observer/protocol.js';
import { viewOf } from '../observer/view.js';
import { type AttachOptions, attach } from './attach.js';
import { readKeys } from './keys.js';
import { openScreen } from './screen.js';
import { drawTop, NO_WIDTHS, type TopState } from './top-view.js';

export interface TopOptions extends AttachOptions {
  /** Between two looks, ms. */
  readonly interval: number;
  readonly once?: boolean;
}

const LEAVE = ['q', 'Q', '\x03', '\x04'];
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Answers the exit code: 0, also when the process that is looked at ends meanwhile. */
export async function top(options: TopOptions): Promise<number> {
  const client = await attach(options);
  const left = new AbortController();
  const leave = (): void => left.abort();
  for (const signal of STOP_SIGNALS) process.on(signal, leave);
  const { stdout } = process;
  void client.ended.then(leave);
  try {
    if (options.once === true || !stdout.isTTY) await print(client, options, left.signal);
    else await show(client, options, left);
  } catch (error) {
    if (!client.hasEnded || options.once === true) throw error;
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, leave);
    if (client.hasEnded) stdout.write(`process ${client.label} has ended\n`);
    client.close();
  }
  return 0;
}

/** Tables as plain lines; a rate takes two looks, so the first table comes after one interval. */
async function print(client: Client, { interval, once }: TopOptions, left: AbortSignal): Promise<void> {
  let before = await look(client);
  for (;;) {
    await pause(interval, left);
    if (left.aborted) return;
    const now = await look(client);
    const state = { label: client.label, view: viewOf(now, before), stale: undefined };
    process.stdout.write(`${drawTop(state, Number.POSITIVE_INFINITY).lines.join('\n')}\n`);
    if (once === true) return;
    process.stdout.write('\n');
    before = now;
  }
}

async function show(client: Client, { interval }: TopOptions, left: AbortController): Promise<void> {
  const { stdin, stdout } = process;
  let now = await look(client);
  let state: TopState = { label: client.label, view: viewOf(now), stale: undefined };
  let widths = NO_WIDTHS;
  const giveBack = stdin.isTTY
    ? readKeys(stdin, (key) => LEAVE.includes(key) && left.abort())
    : (): void => {};
  const screen = openScreen(stdout, (_, rows) => {
    const drawn = drawTop(state, rows - 1, widths);
    widths = drawn.widths;
    return [...drawn.lines, 'q leaves'];
  });
  try {
    for (;;) {
      await pause(interval, left.signal);
      if (left.signal.aborted) return;
      const before = now;
      try {
        now = await look(client);
        state = { ...state, view: viewOf(now, before), stale: undefined };
      } catch (error) {
        state = { ...state, stale: (error as Error).message };
      }
    }
  } finally {
    screen.close();
    giveBack();
  }
}

const look = (client: Client): Promise<Observation> => client.ask({ type: 'inspect', limit: DEFAULT_ACTORS });

/** Waits for so long, or until it is time to leave. */
function pause(ms: number, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (left.aborted) return resolve();
    const over = (): void => {
      clearTimeout(timer);
      left.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    left.addEventListener('abort', over);
  });
}
