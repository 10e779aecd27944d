/**
 * A chain of waits in one sentence: who waits for whom, what is in the way at its end, and who must do what.
 */
import { duration } from './duration.js';
import type { ActorReport } from './inspect.js';
import type { KnownAs } from './known-as.js';
import { type Hold, isBlocked } from './standing.js';
import type { Chain, End, Resting, Step } from './why.js';

/** Names listed before the rest are only counted. */
const LISTED = 6;

export function sentence({ steps, end }: Chain, known: KnownAs): string {
  const until = deadline(end.type === 'ring' ? end.ring : steps, known);
  const parts = [last(steps, end, known), until].filter((part) => part !== '');
  return `${path(steps, end, known)}${parts.join('; ')}.`;
}

/** "ada waits 3.2 s for bob (greet), bob 3.1 s for eve (fetch): ", or nothing. */
function path(steps: readonly Step[], end: End, known: KnownAs): string {
  const after = end.type === 'at' ? end.actor : end.type === 'ring' ? end.ring[0]?.actor : undefined;
  const said = steps.map(({ actor, reason, wait }, i) => {
    const next = steps[i + 1]?.actor ?? after;
    const on = next === undefined ? 'an actor that is gone' : next === actor ? 'itself' : known.name(next);
    const does = wait === undefined ? 'relies on' : `${i === 0 ? 'waits ' : ''}${duration(wait.forMs)} for`;
    return `${known.name(actor)} ${does} ${on} (${reason})`;
  });
  return said.length === 0 ? '' : `${said.join(', ')}: `;
}

/** The wait of these that ends first. */
function deadline(steps: readonly Step[], known: KnownAs): string {
  const waits = steps.flatMap(({ actor, wait }) =>
    wait === undefined ? [] : [{ actor, leftMs: wait.leftMs }],
  );
  const [first] = waits.sort((a, b) => a.leftMs - b.leftMs);
  if (first === undefined) return '';
  const whose = `the wait of ${known.name(first.actor)}`;
  return first.leftMs > 0
    ? `${whose} ends by its deadline in ${duration(first.leftMs)}`
    : `${whose} is ${duration(-first.leftMs)} past its deadline`;
}

function last(steps: readonly Step[], end: End, known: KnownAs): string {
  if (end.type === 'gone') return 'nobody is left to answer';
  if (end.type === 'at') return standing(end.actor, end.standing, known, steps.length > 0);
  const names = end.ring.map(({ actor }) => known.name(actor));
  if (end.locked) {
    const none = names.length === 1 ? 'which takes no message' : 'none of which takes a message';
    return `a ring of ${listed(names)}, ${none}: an answer that was taken over must come, or the newest wait ends as a deadlock`;
  }
  if (names.length === 1) return 'earlier work of its own must end first';
  const free = end.ring.flatMap(({ actor }) => (isBlocked(actor) ? [] : [known.name(actor)]));
  return `a ring of ${listed(names)}, where ${listed(free)} can still take messages and must go on`;
}

/** Where the last actor stands. `asked`: others wait for it. */
function standing(actor: ActorReport, at: Resting, known: KnownAs, asked: boolean): string {
  const name = known.name(actor);
  switch (at.type) {
    case 'lost':
      return `the thread ${actor.thread} is lost, and ${name} comes back when it is started again`;
    case 'starved': {
      const queued = at.queued > 0 ? ` has ${messages(at.queued)} queued and` : '';
      const busy = `${name}${queued} gets no turn: its thread ${actor.thread} has been busy for ${duration(at.forMs)}`;
      if (at.by === undefined) return `${busy} with something that is no handler of an actor`;
      const by = known.name(at.by.actor);
      return `${busy} with ${by}, which has ${at.by.message} in hand for ${duration(at.by.forMs)} and must end it`;
    }
    case 'crashing':
      return at.starting
        ? `${name} is being started again${at.inMs === undefined ? '' : ` in ${duration(at.inMs)}`} (${past(actor)})`
        : `${name} crashes again and again (${past(actor)}), and its code or what it is sent must change`;
    case 'starting':
      return `${name} is being started, and takes its messages then`;
    case 'handling':
      return `${name} has ${at.message} in hand for ${duration(at.forMs)}${behind(at.behind)}, which keeps its thread ${actor.thread} busy, and must end it`;
    case 'outside':
      return `${name} has ${at.message} in hand for ${duration(at.forMs)}${behind(at.behind)}, awaits something that is no actor (thread ${actor.thread}), and must end it`;
    case 'keeper':
      return `${name} has given ${given(at.holds, known)}, and one of them must give back`;
    case 'served': {
      const worker = known.actor(at.hold.worker);
      return `${name} has ${at.hold.what}, on which ${worker === undefined ? 'nobody' : known.name(worker)} works`;
    }
    case 'idle': {
      if (actor.state === 'passive') {
        return `${name} was idle and is passive: its state is with the store, and the next message starts it again`;
      }
      const before = actor.restarts > 0 || actor.lastError !== undefined ? ` (${past(actor)})` : '';
      return asked
        ? `${name}${before} has no message queued or in hand: it has taken what it was sent, and owes the answer`
        : `${name}${before} waits for nothing and has no message queued or in hand`;
    }
  }
}

const past = ({ restarts, lastError }: ActorReport): string =>
  [
    ...(restarts === 0 ? [] : [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'} so far`]),
    ...(lastError === undefined ? [] : [`the last error: ${lastError.replace(/[\s.]+$/, '')}`]),
  ].join(', ');

const messages = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`;

const behind = (count: number): string => (count === 0 ? '' : ` with ${messages(count)} queued behind it`);

const given = (holds: readonly Hold[], known: KnownAs): string =>
  listed(
    holds.map(({ what, holder }) => {
      const actor = known.actor(holder);
      return `${what} to ${actor === undefined ? 'an actor that is gone' : known.name(actor)}`;
    }),
  );

function listed(names: readonly string[]): string {
  const shown = names.length > LISTED ? [...names.slice(0, LISTED), `${names.length - LISTED} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
