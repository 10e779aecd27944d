/**
 * Why an actor does not go on: follows what it waits for, from actor to actor, to the end of the chain. Decides on a
 * report of what can be seen and asks nobody, so it answers while threads are stuck; `sentence.ts` says it in words.
 */
import type { ActorReport } from './inspect.js';
import { KnownAs } from './known-as.js';
import { sentence } from './sentence.js';
import { type Asked, isBlocked, type Sight, type Standing, standingOf } from './standing.js';

/** One actor of the chain and its wait for the next; undefined: the next works on what it has or gave out. */
export interface Step {
  readonly actor: ActorReport;
  readonly reason: string;
  readonly wait: { readonly forMs: number; readonly leftMs: number } | undefined;
}

/** Where an actor stands that waits for no other. */
export type Resting = Exclude<Standing, { readonly type: 'waits' }>;

export type End =
  | { readonly type: 'at'; readonly actor: ActorReport; readonly standing: Resting }
  /** The last wait is for an actor that is not there. */
  | { readonly type: 'gone' }
  /** The last wait is for an actor of the chain. `locked`: the handlers of all of the ring await. */
  | { readonly type: 'ring'; readonly ring: readonly Step[]; readonly locked: boolean };

export interface Chain {
  readonly steps: readonly Step[];
  readonly end: End;
}

/** What `why` answers, as plain data. */
export interface Why {
  readonly actor: string;
  /** What it comes down to, for programs. */
  readonly verdict: Resting['type'] | 'gone' | 'ring';
  /** The actors of the chain, by the names that they are known by. */
  readonly chain: readonly string[];
  /** Who waits for whom and who must do what. */
  readonly sentence: string;
}

export function why(sight: Sight, actor: ActorReport, known = new KnownAs(sight.actors)): Why {
  const chain = follow(sight, actor, known);
  const { steps, end } = chain;
  const actors = steps.map((step) => step.actor);
  if (end.type === 'at') actors.push(end.actor);
  return {
    actor: known.name(actor),
    verdict: end.type === 'at' ? end.standing.type : end.type,
    chain: actors.map((one) => known.name(one)),
    sentence: sentence(chain, known),
  };
}

/** Ends where an actor waits for nobody, or comes for a second time. */
export function follow(sight: Sight, first: ActorReport, known: KnownAs): Chain {
  const steps: Step[] = [];
  let actor = first;
  let asked: Asked | undefined;
  for (;;) {
    const standing = standingOf(sight, actor, asked);
    if (standing.type !== 'waits') return rest(sight, { steps, actor, standing }, known);
    const { on, reason, forMs, leftMs } = standing;
    steps.push({ actor, reason, wait: { forMs, leftMs } });
    const from = steps.findIndex((step) => step.actor.id === on);
    if (from >= 0) {
      const ring = steps.slice(from);
      return { steps, end: { type: 'ring', ring, locked: ring.every((step) => isBlocked(step.actor)) } };
    }
    const next = known.actor(on);
    if (next === undefined) return { steps, end: { type: 'gone' } };
    asked = { forMs, byAsk: isBlocked(actor) };
    actor = next;
  }
}

/** The chain's end; one further where the trouble is with the actor that works on what this one has or gave out. */
function rest(
  sight: Sight,
  { steps, actor, standing }: { steps: Step[]; actor: ActorReport; standing: Resting },
  known: KnownAs,
): Chain {
  const hold =
    standing.type === 'served' ? standing.hold : standing.type === 'keeper' ? standing.holds[0] : undefined;
  const worker = hold && known.actor(hold.worker);
  const trouble = worker && standingOf(sight, worker);
  if (hold === undefined || worker === undefined || trouble === undefined || !isTrouble(trouble)) {
    return { steps, end: { type: 'at', actor, standing } };
  }
  return {
    steps: [...steps, { actor, reason: hold.what, wait: undefined }],
    end: { type: 'at', actor: worker, standing: trouble },
  };
}

const isTrouble = (standing: Standing): standing is Resting =>
  ['lost', 'starved', 'crashing', 'starting'].includes(standing.type);
