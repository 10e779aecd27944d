/**
 * Turns of minds for actors: an actor on the main thread has the turn that another actor asks for, and answers with the
 * whole reply.
 */
import type { Outcome, Receipt } from './actors/mind/protocol.js';
import { NoSuchMind } from './errors.js';
import type { Mind } from './mind.js';
import type { TurnOptions } from './options.js';
import { type Context, type Definition, refuse } from './runtime/actor.js';
import type { System } from './runtime/system.js';
import { MAIN_THREAD } from './runtime/well-known.js';
import { lookup } from './user-actor.js';

export interface TurnReply {
  readonly text: string;
  readonly outcome: Outcome;
  readonly receipt: Receipt;
}

const NAME = 'minds';
/** An actor that asks for a turn waits for it no longer than this, unless told otherwise, ms. */
const TURN_MS = 60_000;
/** A turn ends by its own deadline; its answer then has this to come, ms. */
const ANSWER_MS = 20_000;

/**
 * A turn of a mind, asked from within a handler. Rejects with the turn's error when it failed, `NoSuchMind`, or
 * `BadArgument`.
 */
export async function turnOf(
  ctx: Context,
  mind: string,
  text: string,
  options: Omit<TurnOptions, 'signal'> = {},
): Promise<TurnReply> {
  const deadline = options.deadline ?? TURN_MS;
  const request = { type: 'turn', mind, text, options: { ...options, deadline } };
  const waiting = { deadlineMs: deadline + ANSWER_MS, reason: `a turn of ${mind}` };
  return ctx.ask(await lookup(ctx, NAME), request, waiting);
}

interface TurnRequest {
  readonly mind: string;
  readonly text: string;
  readonly options: TurnOptions;
}

type Find = (name: string) => Mind | undefined;

/** Where the minds of each troupe of this process are found. */
const troupes = new Map<number, Find>();
let last = 0;

/** Starts the actor behind `turnOf`. Answers the function that forgets the troupe. */
export async function openMinds(system: System, find: Find): Promise<() => void> {
  const troupe = ++last;
  troupes.set(troupe, find);
  await system.spawn({ name: NAME, module: import.meta.url, args: troupe, thread: MAIN_THREAD });
  return () => troupes.delete(troupe);
}

const minds: Definition<number> = {
  kind: NAME,
  start: (_ctx, troupe) => ({
    receive({ mind: name, text, options }: TurnRequest, ctx: Context): unknown {
      const mind = troupes.get(troupe)?.(name);
      if (mind === undefined) return refuse(new NoSuchMind({ name }));
      const reply = ctx.replyLater();
      try {
        void mind.turn(text, options).result.then(({ error, ...result }) => {
          if (error === undefined) reply.resolve(result);
          else reply.reject(error);
        });
      } catch (error) {
        reply.reject(error);
      }
      return undefined;
    },
  }),
};

export default minds;
