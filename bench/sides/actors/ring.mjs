/**
 * A thread ring: actors in a circle hand on one token that counts down.
 */
import { System } from '../../../dist/runtime/system.js';
import { expectWork } from '../../harness/interleave.mjs';
import { RunQueue } from './run-queue.mjs';

const ACTORS = 10_000;
const HOPS = 20 * ACTORS + 7;

/** The token ends where it must, after all its hops. */
function check({ hops, at }) {
  expectWork('hops', hops, HOPS);
  expectWork('the actor at which the token ended', at, HOPS % ACTORS);
  return hops;
}

export async function troupe() {
  const { main } = await System.start([]);
  const ids = [];
  let done;
  let hops = 0;
  for (let i = 0; i < ACTORS; i++) {
    let next;
    const start = () => ({
      receive({ left }, ctx) {
        if (left === 0) return done({ hops, at: i });
        hops++;
        next ??= ids[(i + 1) % ACTORS];
        ctx.tell(next, { type: 'token', left: left - 1 });
        return undefined;
      },
    });
    ids.push(await main.spawn({ kind: 'link', start }, { name: `link-${i}`, args: undefined }));
  }
  return {
    async work() {
      hops = 0;
      const end = await new Promise((resolve) => {
        done = resolve;
        main.tell(0, ids[0], { type: 'token', left: HOPS }, 2);
      });
      return check(end);
    },
  };
}

export function bare() {
  const queue = new RunQueue();
  const links = [];
  let end;
  let hops = 0;
  const tell = (handler, message) => queue.push(() => handler(message));
  for (let i = 0; i < ACTORS; i++) {
    let next;
    links.push(({ left }) => {
      if (left === 0) {
        end = { hops, at: i };
        return;
      }
      hops++;
      next ??= links[(i + 1) % ACTORS];
      tell(next, { type: 'token', left: left - 1 });
    });
  }
  return {
    work() {
      hops = 0;
      tell(links[0], { type: 'token', left: HOPS });
      queue.run();
      return check(end);
    },
  };
}
