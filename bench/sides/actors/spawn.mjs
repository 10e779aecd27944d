/**
 * Spawn: so many actors start, and each has its first message handled; their ends are not measured.
 */
import { end } from '../../../dist/runtime/end.js';
import { System } from '../../../dist/runtime/system.js';
import { expectWork } from '../../harness/interleave.mjs';

export const ACTORS = 2_000;

export async function troupe() {
  const { main } = await System.start([]);
  let met = 0;
  let done;
  const definition = {
    kind: 'newcomer',
    start: () => ({
      receive() {
        if (++met === ACTORS) done();
      },
    }),
  };
  const ids = [];
  return {
    async work() {
      met = 0;
      const all = new Promise((resolve) => {
        done = resolve;
      });
      const starts = [];
      for (let i = 0; i < ACTORS; i++) starts.push(main.spawn(definition, { name: `actor-${i}`, args: i }));
      for (const id of await Promise.all(starts)) {
        ids.push(id);
        main.tell(0, id, { type: 'hello' }, 2);
      }
      await all;
      expectWork('actors that have answered', new Set(ids).size, ACTORS);
      return ACTORS;
    },
    async tidy() {
      await Promise.all(ids.splice(0).map((id) => end(main.cell(id), 'the piece of work is over')));
    },
  };
}
