/** Which handlers of a simulation throw. */
import { expect, it } from 'vitest';
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import { RESTARTS } from '../../src/runtime/defaults.js';
import { Crashes } from '../../src/testing/simulation/crashes.js';

const crashesOf = (name: string, calls: number): number => {
  const crashes = new Crashes(() => 'before', ['broker']);
  let times = 0;
  for (let call = 0; call < calls; call++) {
    // Started anew after each crash, at the same address.
    const behaviour = crashes.behaviour({ receive: () => 'done' } as Behaviour, { name, self: 7 } as Context);
    try {
      behaviour.receive({ type: 'note' } as never, {} as never);
    } catch {
      times++;
    }
  }
  return times;
};

it('R4 one without which the system would end crashes no more often than it survives', () => {
  expect(crashesOf('broker', RESTARTS.count + 3)).toBe(RESTARTS.count);
  expect(crashesOf('mind-1', RESTARTS.count + 3)).toBe(RESTARTS.count + 3);
});
