/**
 * The actor that the runtime is simulated with: given a ball it does something with another actor, whatever the seed says,
 * and passes the ball on.
 */
import { type Behaviour, type Context, type Definition, refuse } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import { TroupeError } from '../../src/runtime/errors.js';
import { Band, type Message } from '../../src/runtime/message.js';
import { Random } from '../../src/testing/index.js';

export interface GossipArgs {
  readonly seed: number;
}

type GossipMessage = Message & {
  readonly type: 'ball' | 'question' | 'drop' | 'nudge' | 'later' | 'flood';
  readonly hops: number;
  readonly count: number;
  readonly to: ActorId;
};

/** `peers`: those that are there now; it changes while the simulation runs. */
export const gossip = (peers: readonly ActorId[]): Definition<GossipArgs> => ({
  kind: 'gossip',
  start: (ctx, { seed }, saved) => new Gossip(ctx, new Random(seed, 16 + ctx.incarnation), peers, saved),
});

class Gossip implements Behaviour {
  readonly #random: Random;
  readonly #peers: readonly ActorId[];
  #count: number;
  readonly #owed: { resolve(value: unknown): void }[] = [];

  constructor(ctx: Context, random: Random, peers: readonly ActorId[], saved: ReadonlyMap<string, unknown>) {
    this.#random = random;
    this.#peers = peers;
    this.#count = (saved.get('count') as number | undefined) ?? 0;
    if (random.oneIn(3)) ctx.save('starts', ctx.incarnation);
  }

  receive(message: GossipMessage, ctx: Context): unknown {
    this.#count++;
    if (this.#random.oneIn(2)) ctx.save('count', this.#count);
    switch (message.type) {
      case 'ball':
        return message.hops > 0 ? this.#play(message.hops, ctx) : undefined;
      case 'question':
        return this.#answer(ctx);
      default:
        return undefined;
    }
  }

  control(message: GossipMessage, ctx: Context): unknown {
    switch (message.type) {
      case 'nudge':
        ctx.save(`nudge/${this.#random.below(3)}`, this.#random.oneIn(4) ? undefined : this.#count);
        return this.#count;
      case 'later':
        this.#owed.shift()?.resolve(this.#count);
        return undefined;
      case 'flood':
        for (let i = 0; i < message.count; i++) ctx.tell(message.to, { type: 'drop' });
        return undefined;
      default:
        return undefined;
    }
  }

  notice(): void {}

  /** Hands over what it has; now and then it would rather stay. */
  passivate(ctx: Context): boolean {
    ctx.save('count', this.#count);
    return !this.#random.oneIn(4);
  }

  #play(hops: number, ctx: Context): unknown {
    const peer = this.#random.pick(this.#peers);
    const pass = (): void => void ctx.tell(this.#random.pick(this.#peers), { type: 'ball', hops: hops - 1 });
    switch (this.#random.below(12)) {
      case 0:
        return this.#ask(peer, ctx).then(pass);
      case 1:
        return Promise.all([this.#ask(peer, ctx), this.#ask(this.#random.pick(this.#peers), ctx)]).then(pass);
      case 2:
        ctx.tell(peer, { type: 'nudge' }, { band: this.#random.oneIn(2) ? Band.control : Band.reserved });
        break;
      case 3:
        ctx.watch(peer);
        break;
      case 4:
        ctx.unwatch(peer);
        break;
      case 5:
        void this.#ask(peer, ctx, Band.control);
        break;
      case 6:
        ctx.after(this.#random.below(20), { type: 'nudge' });
        break;
      case 7:
        for (let i = 0; i < 3; i++) ctx.tell(peer, { type: 'drop' });
        break;
    }
    return pass();
  }

  /** Settles whatever the answer is. */
  #ask(peer: ActorId, ctx: Context, band: Band = Band.user): Promise<unknown> {
    const type = band === Band.user ? 'question' : 'nudge';
    return ctx.ask(peer, { type }, { band, deadlineMs: this.#random.between(1, 60) }).catch(() => {});
  }

  #answer(ctx: Context): unknown {
    switch (this.#random.below(5)) {
      case 0:
        return refuse(new TroupeError('NotTold', 'it is not told', {}));
      case 1:
        this.#owed.push(ctx.replyLater());
        ctx.after(this.#random.below(30), { type: 'later' });
        return undefined;
      case 2:
        return Promise.resolve(this.#count);
      default:
        return this.#count;
    }
  }
}
