/** Savina worlds of the peers. */
import { dispatch, spawn, start, stop } from 'nact';
import { createActor, fromTransition } from 'xstate';
import { inWorld } from '../savina/suite.mjs';

/** What XState itself tells an actor that is stopped. */
const STOP = 'xstate.stop';

export function nact({ name }) {
  const system = start();
  let spawned = [];
  const world = {
    spawn(receive) {
      const self = { self: undefined, tell: (to, message) => dispatch(to, message, self.self) };
      self.self = spawn(system, (_, message) => receive(message, self));
      spawned.push(self.self);
      return self.self;
    },
    tell: (to, message) => dispatch(to, message),
    clear() {
      for (const actor of spawned) stop(actor);
      spawned = [];
    },
  };
  return inWorld(world, name);
}

export function xstate({ name }) {
  let spawned = [];
  const world = {
    spawn(receive) {
      const self = { self: undefined, tell: (to, message) => to.send(message) };
      const logic = fromTransition((state, message) => {
        if (message.type !== STOP) receive(message, self);
        return state;
      }, null);
      self.self = createActor(logic).start();
      spawned.push(self.self);
      return self.self;
    },
    tell: (to, message) => to.send(message),
    clear() {
      for (const actor of spawned) actor.stop();
      spawned = [];
    },
  };
  return inWorld(world, name);
}
