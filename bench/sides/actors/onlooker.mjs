/**
 * Looks at a running system as `troupe top` does, from a process of its own: every `everyMs` while it is told to, and
 * with a trace of every message beside, as far as its limit of rate lets them through. Lines `on` and `off` come in; each
 * is answered with the looks so far.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../../dist/observer/client.js';
import { DEFAULT_ACTORS, DEFAULT_TRACE_EVENTS, MAX_TRACE_MS } from '../../../dist/observer/protocol.js';

const { dir, label, everyMs } = JSON.parse(process.argv[2]);
const TRACE = { type: 'messages', actor: undefined, message: undefined, preview: false };

/** One for the looks, one for the trace: a connection is served one request at a time. */
let clients = [];
let looks = 0;

async function look(client) {
  while (clients.includes(client)) {
    await client.ask({ type: 'inspect', limit: DEFAULT_ACTORS });
    looks++;
    await sleep(everyMs);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'on') {
    clients = [await Client.attach(dir, label), await Client.attach(dir, label)];
    const [looking, tracing] = clients;
    // Either ends with its connection.
    look(looking).catch(() => {});
    tracing.ask({ ...TRACE, forMs: MAX_TRACE_MS, perSecond: DEFAULT_TRACE_EVENTS }).catch(() => {});
  } else {
    for (const client of clients) client.close();
    clients = [];
  }
  process.stdout.write(`${looks}\n`);
}
