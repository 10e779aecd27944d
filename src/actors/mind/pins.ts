/**
 * The genes of a mind's turns: asked of the residency before a lane is asked for, and let go of when the turn has ended.
 */
import type { Context } from '../../runtime/actor.js';
import type { NamedGene, ResidencyToMind } from '../residency/protocol.js';
import type { Post } from './post.js';
import type { MindArgs } from './protocol.js';
import { beginWait, type Turn } from './turn.js';
import type { Turns } from './turns.js';

export class Pins {
  readonly #ctx: Context;
  readonly #args: MindArgs;
  readonly #post: Post;
  readonly #turns: Turns;

  constructor(ctx: Context, args: MindArgs, post: Post, turns: Turns) {
    this.#ctx = ctx;
    this.#args = args;
    this.#post = post;
    this.#turns = turns;
  }

  /** Asks for the turn's genes, and says so. False: it runs the model as it is. */
  ask(turn: Turn): boolean {
    const genes = this.#genesOf(turn);
    if (genes.length === 0) return false;
    turn.stage = 'genes';
    this.#post.pin(turn, genes);
    beginWait(turn, this.#ctx, 'genes', this.#args.residency, this.#args.name);
    return true;
  }

  /** The turn that need not wait for its genes any longer, if the message is about one that does. */
  hear(message: ResidencyToMind): Turn | undefined {
    if (message.type === 'pin-again') {
      this.#askAgain();
      return undefined;
    }
    if (message.type === 'confirm') {
      this.#post.confirm(message.question);
      return undefined;
    }
    // One that ended meanwhile has let go of them; one that has them keeps them, whatever their names mean by now.
    const turn = this.#turns.get(message.turn);
    if (turn?.stage !== 'genes') return undefined;
    if (message.type === 'pinned') Object.assign(turn, { phenotype: message.genes, missed: message.missed });
    return turn;
  }

  release(turn: Turn): void {
    if (pins(turn)) this.#post.unpin(turn);
  }

  #askAgain(): void {
    for (const turn of this.#turns.all()) {
      if (turn.stage === 'genes') this.#post.pin(turn, this.#genesOf(turn));
      else if (pins(turn)) this.#post.hold(turn);
    }
  }

  #genesOf(turn: Turn): readonly NamedGene[] {
    return turn.request.genes ?? this.#args.genes;
  }
}

/** Whether the residency has, or is about to have, pins of it. */
const pins = (turn: Turn): boolean => turn.stage === 'genes' || turn.phenotype.length > 0;
