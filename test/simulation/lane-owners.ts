/**
 * Looks at what the broker hears and says: no lane is granted while another grant has it, and who waits has none. Looks at what the engine is told to
 * run, so that each reply can be compared with that of the same prompt alone.
 */
import type { Run } from '../../src/actors/engine/protocol.js';
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import { type Wrapping, withParts } from '../../src/testing/wrapping.js';

interface Said {
  readonly type: string;
  readonly grant: number;
  readonly lane: number;
  readonly ticket: number;
}

export class LaneOwners implements Wrapping {
  readonly #broken: (what: string) => void;
  /** Grants that have a lane, by number: the lane, and what the mind calls it. */
  readonly #grants = new Map<number, { lane: number; ticket: string }>();
  /** What was run of each turn. */
  readonly runs = new Map<number, Run>();
  /** How often the residency has started: what it knows of pins it knows anew after each start. */
  residencies = 0;

  constructor(broken: (what: string) => void) {
    this.#broken = broken;
  }

  start(ctx: Context): void {
    if (ctx.name === 'residency') this.residencies++;
  }

  context(ctx: Context): Context {
    if (ctx.name !== 'broker') return ctx;
    return withParts(ctx, {
      tell: (to, message, options) => {
        const { type, grant, lane, ticket } = message as unknown as Said;
        if (type === 'granted') {
          const owner = [...this.#grants].find(([, other]) => other.lane === lane);
          if (owner !== undefined)
            this.#broken(`lane ${lane} was granted to ${grant} while ${owner[0]} had it`);
          this.#grants.set(grant, { lane, ticket: `${to} ${ticket}` });
        }
        if (type === 'queued') this.#waits(`${to} ${ticket}`);
        if (type === 'revoked') this.#free(`${to} ${ticket}`);
        return ctx.tell(to, message, options);
      },
    });
  }

  behaviour(behaviour: Behaviour, ctx: Context): Behaviour {
    const hear = (message: never): void => {
      const { type, grant, ticket } = message as unknown as Said;
      if (ctx.name === 'engine' && type === 'run') {
        const run = message as unknown as Run;
        this.runs.set(run.turn, run);
      }
      if (ctx.name !== 'broker') return;
      if (type === 'ran' || type === 'never-ran') this.#grants.delete(grant);
      if (type === 'withdraw') this.#free(`${ctx.sender} ${ticket}`);
      if (type === 'up') this.#grants.clear();
    };
    const heard: Behaviour = {
      receive: (message: never) => {
        hear(message);
        return behaviour.receive(message, ctx);
      },
      notice: (notice) => behaviour.notice?.(notice, ctx),
      passivate: () => behaviour.passivate?.(ctx),
      stop: (reason) => behaviour.stop?.(reason),
    };
    if (behaviour.control === undefined) return heard;
    heard.control = (message: never) => {
      hear(message);
      return behaviour.control?.(message, ctx);
    };
    return heard;
  }

  /** Lanes that are granted. */
  get granted(): number {
    return this.#grants.size;
  }

  #waits(ticket: string): void {
    for (const { lane, ticket: holder } of this.#grants.values()) {
      if (holder === ticket) this.#broken(`${ticket} waits, and has lane ${lane}`);
    }
  }

  #free(ticket: string): void {
    for (const [grant, other] of this.#grants) if (other.ticket === ticket) this.#grants.delete(grant);
  }
}
