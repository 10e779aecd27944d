/**
 * What this process holds after a forced collection in every isolate: its own, and that of each of its threads.
 *
 * Threads are reached by the inspector from within, so nothing needs to know them or be started in a special way.
 */
import { Session } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';

const ROUNDS = 3;
const SETTLE_MS = 200;
const MEMORY = 'JSON.stringify(process.memoryUsage())';

/**
 * `{ residentBytes, heapBytes, committedBytes, isolates }`, summed over the isolates; `heapBytes`: objects and array buffers;
 * `committedBytes`: heaps with what they keep free, and what objects hold outside of them.
 */
export async function weigh() {
  const session = new Session();
  session.connect();
  const threads = new Threads(session);
  try {
    await threads.attach();
    const isolates = [(method, params) => post(session, method, params), ...threads.senders()];
    for (let round = 0; round < ROUNDS; round++) {
      for (const send of isolates) await send('HeapProfiler.collectGarbage');
      await sleep(SETTLE_MS);
    }
    let [heapBytes, committedBytes] = [0, 0];
    for (const send of isolates) {
      const { result } = await send('Runtime.evaluate', { expression: MEMORY, returnByValue: true });
      const { heapUsed, heapTotal, arrayBuffers, external } = JSON.parse(result.value);
      heapBytes += heapUsed + arrayBuffers;
      committedBytes += heapTotal + external;
    }
    const residentBytes = process.memoryUsage.rss();
    return { residentBytes, heapBytes, committedBytes, isolates: isolates.length };
  } finally {
    session.disconnect();
  }
}

const post = (session, method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer))),
  );

/** The threads of this process, each behind a session of the inspector's. */
class Threads {
  #session;
  #sessions = [];
  #waiting = new Map();
  #asked = 0;

  constructor(session) {
    this.#session = session;
    session.on('NodeWorker.attachedToWorker', ({ params }) => this.#sessions.push(params.sessionId));
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      const { id, result, error } = JSON.parse(params.message);
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    });
  }

  async attach() {
    await post(this.#session, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
    await sleep(SETTLE_MS);
  }

  senders() {
    return this.#sessions.map((sessionId) => (method, params) => this.#send(sessionId, method, params));
  }

  #send(sessionId, method, params) {
    const id = ++this.#asked;
    const message = JSON.stringify({ id, method, params });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      post(this.#session, 'NodeWorker.sendMessageToWorker', { sessionId, message }).catch(reject);
    });
  }
}
