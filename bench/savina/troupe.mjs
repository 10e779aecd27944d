/** A Savina world of this runtime: actors of the main thread of a system. */
import { end } from '../../dist/runtime/end.js';
import { System } from '../../dist/runtime/system.js';
import { inWorld } from './suite.mjs';

const USER = 2;

export async function troupe({ name }) {
  const { main } = await System.start([]);
  let spawned = [];
  let names = 0;
  const world = {
    spawn(receive) {
      const cell = main.place({ name: `actor-${names++}`, args: undefined });
      main.start(cell, { kind: 'savina', start: () => ({ receive }) });
      spawned.push(cell);
      return cell.id;
    },
    tell: (to, message) => main.tell(0, to, message, USER),
    async clear() {
      const cells = spawned;
      spawned = [];
      await Promise.all(cells.map((cell) => end(cell, 'the run is over')));
    },
  };
  return inWorld(world, name);
}
