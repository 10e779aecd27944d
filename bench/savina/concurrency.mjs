/**
 * Two of the concurrency benchmarks of the Savina suite; see `micro.mjs` for what a benchmark is.
 */

/** Creatures meet in pairs at a mall, and change their colours. */
export function chameneos({ creatures, meetings }) {
  const COLOURS = 3;
  const complement = (a, b) => (a === b ? a : COLOURS - a - b);
  return {
    name: 'chameneos',
    messages: 4 * meetings,
    expected: 2 * meetings,
    run(world, done) {
      let left = meetings;
      let met = 0;
      let gone = 0;
      let waiting;
      const mall = world.spawn((message, self) => {
        if (message.type === 'gone') {
          met += message.met;
          if (++gone === creatures) done(met);
        } else if (left === 0) self.tell(message.from, { type: 'closed' });
        else if (waiting === undefined) waiting = message;
        else {
          left--;
          const first = waiting;
          waiting = undefined;
          self.tell(first.from, { type: 'met', colour: message.colour });
          self.tell(message.from, { type: 'met', colour: first.colour });
          if (left === 0 && waiting !== undefined) self.tell(waiting.from, { type: 'closed' });
        }
      });
      for (let i = 0; i < creatures; i++) {
        let colour = i % COLOURS;
        let meetingsOfOne = 0;
        const creature = world.spawn((message, self) => {
          if (message.type === 'closed') return self.tell(mall, { type: 'gone', met: meetingsOfOne });
          if (message.type === 'met') {
            meetingsOfOne++;
            colour = complement(colour, message.colour);
          }
          return self.tell(mall, { type: 'meet', colour, from: self.self });
        });
        world.tell(creature, { type: 'begin' });
      }
    },
  };
}

/** Philosophers ask an arbiter for both forks at once, and ask again when they are denied. */
export function philosophers({ seats, meals }) {
  return {
    name: 'philosophers',
    // Of each meal: hungry, eat, done. What is denied comes on top and is not counted.
    messages: 3 * seats * meals,
    expected: seats * meals,
    run(world, done) {
      const forks = new Array(seats).fill(false);
      let eaten = 0;
      let left = 0;
      const arbiter = world.spawn((message, self) => {
        const { seat, from } = message;
        const next = (seat + 1) % seats;
        if (message.type === 'hungry') {
          const free = !forks[seat] && !forks[next];
          if (free) {
            forks[seat] = true;
            forks[next] = true;
          }
          self.tell(from, { type: free ? 'eat' : 'denied' });
        } else {
          forks[seat] = false;
          forks[next] = false;
          eaten++;
          if (message.last && ++left === seats) done(eaten);
        }
      });
      for (let seat = 0; seat < seats; seat++) {
        let meal = 0;
        const philosopher = world.spawn((message, self) => {
          if (message.type === 'eat') {
            meal++;
            self.tell(arbiter, { type: 'done', seat, last: meal === meals, from: self.self });
            if (meal === meals) return;
          }
          self.tell(arbiter, { type: 'hungry', seat, from: self.self });
        });
        world.tell(philosopher, { type: 'begin' });
      }
    },
  };
}
