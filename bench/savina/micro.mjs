/**
 * The micro-benchmarks of the Savina suite (Imam, Sarkar 2014), written once for any `world` of actors:
 *
 * - `world.spawn(receive)` answers the reference of a new actor; `receive(message, self)` handles one message.
 * - `self.self` is the actor's own reference, `self.tell(to, message)` sends in its name.
 * - `world.tell(to, message)` sends from outside.
 *
 * A benchmark is `{ name, messages, run(world, done) }`: `messages` is what it counts as done, `done(found)` is called at
 * its end with what must be `expected`. No more than some hundred messages lie in one mailbox at a time, so that bounded
 * ones take them.
 */
const WINDOW = 500;

export function pingPong({ pings }) {
  return {
    name: 'ping-pong',
    messages: 2 * pings,
    expected: pings,
    run(world, done) {
      let pongs = 0;
      const pong = world.spawn(({ from }, self) => self.tell(from, { type: 'pong' }));
      const ping = world.spawn((message, self) => {
        if (message.type === 'pong') pongs++;
        if (pongs === pings) done(pongs);
        else self.tell(pong, { type: 'ping', from: self.self });
      });
      world.tell(ping, { type: 'begin' });
    },
  };
}

export function counting({ messages }) {
  return {
    name: 'counting',
    messages,
    expected: messages,
    run(world, done) {
      let sent = 0;
      let count = 0;
      const counter = world.spawn((message, self) => {
        if (message.type === 'increment') count++;
        else self.tell(message.from, { type: 'count', count });
      });
      const producer = world.spawn((_, self) => {
        if (sent === messages) return done(count);
        for (let i = 0; i < WINDOW && sent < messages; i++, sent++) self.tell(counter, { type: 'increment' });
        return self.tell(counter, { type: 'retrieve', from: self.self });
      });
      world.tell(producer, { type: 'begin' });
    },
  };
}

export function forkJoinCreate({ actors }) {
  return {
    name: 'fork-join-create',
    messages: actors,
    expected: actors,
    run(world, done) {
      let joined = 0;
      const receive = () => {
        if (++joined === actors) done(joined);
      };
      for (let i = 0; i < actors; i++) world.tell(world.spawn(receive), { type: 'work' });
    },
  };
}

export function forkJoinThroughput({ actors, messages }) {
  return {
    name: 'fork-join-throughput',
    messages: actors * messages,
    expected: actors,
    run(world, done) {
      let joined = 0;
      let rounds = 0;
      const workers = Array.from({ length: actors }, () => {
        let received = 0;
        return world.spawn(() => {
          if (++received === messages && ++joined === actors) done(joined);
        });
      });
      const source = world.spawn((_, self) => {
        for (const worker of workers) self.tell(worker, { type: 'work' });
        if (++rounds < messages) self.tell(self.self, { type: 'next' });
      });
      world.tell(source, { type: 'next' });
    },
  };
}

export function threadRing({ actors, hops }) {
  return {
    name: 'thread-ring',
    messages: hops,
    expected: hops % actors,
    run(world, done) {
      const ring = [];
      for (let i = 0; i < actors; i++) {
        const link = world.spawn(({ left }, self) => {
          if (left === 0) done(i);
          else self.tell(ring[(i + 1) % actors], { type: 'token', left: left - 1 });
        });
        ring.push(link);
      }
      world.tell(ring[0], { type: 'token', left: hops });
    },
  };
}

/** Each actor pings others drawn at random, the next one when the pong has come. */
export function big({ actors, pings }) {
  return {
    name: 'big',
    messages: 2 * actors * pings,
    expected: actors * pings,
    run(world, done) {
      let seed = 1;
      let ended = 0;
      let pongs = 0;
      const draw = () => {
        seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
        return all[(seed >> 8) % actors];
      };
      const all = Array.from({ length: actors }, () => {
        let left = pings;
        return world.spawn((message, self) => {
          if (message.type === 'ping') return self.tell(message.from, { type: 'pong' });
          if (message.type === 'pong') pongs++;
          if (left-- > 0) return self.tell(draw(), { type: 'ping', from: self.self });
          if (++ended === actors) done(pongs);
          return undefined;
        });
      });
      for (const actor of all) world.tell(actor, { type: 'begin' });
    },
  };
}
