/**
 * The word that an engine is up, said until its broker has heard it: a broker that crashes over it knows of no engine that
 * it could ask.
 */
import type { Context } from '../../runtime/actor.js';
import { Band } from '../../runtime/message.js';
import type { EngineArgs, EngineControl, EngineToBroker } from './protocol.js';

/** Before it is said again: a broker that crashed is back by then. */
const UNHEARD_MS = 100;

/** A later `up` of the same engine takes its place. */
export function sayUp(ctx: Context, { broker, lanes, cells, context }: EngineArgs, epoch: number): void {
  const up: EngineToBroker = { type: 'up', engine: ctx.self, epoch, lanes, cells, context };
  ctx.ask(broker, up, { band: Band.reserved }).catch(() => {
    ctx.after(UNHEARD_MS, { type: 'unheard', epoch } satisfies EngineControl);
  });
}
