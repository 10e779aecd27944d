/**
 * nact, as the other side of what an actor costs: tell and spawn as in `sides/actors`.
 */
import { dispatch, spawn as nactSpawn, start, stop } from 'nact';
import { expectWork } from '../harness/interleave.mjs';
import { ACTORS } from '../sides/actors/spawn.mjs';
import { BURST, Received } from '../sides/actors/tell.mjs';

/** A piece of work that takes nact a few milliseconds. */
const BURSTS = 20;

export function tell() {
  const system = start();
  const received = new Received();
  const receiver = nactSpawn(
    system,
    (_, { value }, ctx) => {
      if (received.take(value)) dispatch(ctx.sender, { type: 'next' }, ctx.self);
    },
    'receiver',
  );
  let left = 0;
  let done;
  const sender = nactSpawn(
    system,
    (_, _message, ctx) => {
      if (left-- === 0) return done();
      for (let value = 0; value < BURST; value++) dispatch(receiver, { type: 'note', value }, ctx.self);
      return undefined;
    },
    'sender',
  );
  return {
    async work() {
      left = BURSTS;
      await new Promise((resolve) => {
        done = resolve;
        dispatch(sender, { type: 'next' });
      });
      return received.check(BURSTS);
    },
  };
}

export function spawn() {
  const system = start();
  const actors = [];
  let met = 0;
  let done;
  const receive = () => {
    if (++met === ACTORS) done();
  };
  return {
    async work() {
      met = 0;
      const all = new Promise((resolve) => {
        done = resolve;
      });
      for (let i = 0; i < ACTORS; i++) actors.push(nactSpawn(system, receive, `actor-${i}`));
      for (const actor of actors) dispatch(actor, { type: 'hello' });
      await all;
      expectWork('actors that have answered', met, ACTORS);
      return ACTORS;
    },
    tidy() {
      for (const actor of actors.splice(0)) stop(actor);
    },
  };
}
