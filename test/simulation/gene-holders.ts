/**
 * Knows which grants have which genes, as the residency has said: from there on they may not leave the device.
 */
import type { Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import type { Listener } from './listening.js';

type Said = Message & { readonly grant: number; readonly genes: readonly { readonly gene: number }[] };

export class GeneHolders implements Listener {
  readonly #held = new Map<number, readonly number[]>();

  /** One that starts again knows of no grants, until the broker has said which there are. */
  started(name: string): void {
    if (name === 'residency') this.#held.clear();
  }

  told({ name }: Context, _to: ActorId, message: Message): void {
    if (name === 'residency' && message.type === 'pinned') this.#hold(message as Said);
  }

  heard({ name }: Context, message: Message): void {
    if (name !== 'residency') return;
    if (message.type === 'hold') this.#hold(message as Said);
    if (message.type === 'unpin') this.#held.delete((message as Said).grant);
    if (message.type === 'forget') this.#held.clear();
  }

  /** A grant that holds a gene. */
  of(gene: number): number | undefined {
    for (const [grant, genes] of this.#held) if (genes.includes(gene)) return grant;
    return undefined;
  }

  /** Grants that hold any. */
  get size(): number {
    return this.#held.size;
  }

  #hold({ grant, genes }: Said): void {
    this.#held.set(
      grant,
      genes.map(({ gene }) => gene),
    );
  }
}
