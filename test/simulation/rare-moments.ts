/**
 * Counts what is hard to come upon by chance, so that a run of seeds shows whether they came upon it.
 */
import type { Activity } from '../../src/actors/activity.js';
import type { PageRecord } from '../../src/actors/engine/protocol.js';
import type { NamedGene } from '../../src/actors/residency/protocol.js';
import type { Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import type { Listener } from './listening.js';

type Said = Message & {
  readonly grant: number;
  readonly ticket: number;
  readonly turn: number | undefined;
  readonly activity: Activity;
  readonly record: PageRecord;
  readonly read: number;
  readonly word: { readonly type: string; readonly read: number };
  readonly genes: readonly NamedGene[];
};

export class RareMoments implements Listener {
  readonly counts = {
    'two reclaims at once': 0,
    'reclaim while paging in': 0,
    'reclaim while reading from disk': 0,
    'a gene wanted by two': 0,
    'lanes that share cells': 0,
    'a lane that left to disk': 0,
  };
  /** Grants that run, by what their minds call them: their number and activity. */
  readonly #grants = new Map<string, { readonly grant: number; readonly activity: Activity }>();
  readonly #asked = new Map<string, Activity>();
  readonly #reclaiming = new Set<number>();
  /** Rooms that have a page. */
  readonly #paged = new Set<Activity>();
  readonly #reading = new Set<number>();
  /** Grants that wait for genes. */
  readonly #coming = new Map<number, readonly string[]>();

  started(name: string): void {
    if (name !== 'broker') return;
    this.#reclaiming.clear();
    this.#reading.clear();
    this.#coming.clear();
  }

  told({ name }: Context, to: ActorId, message: Message): void {
    const { grant, ticket, record, activity, read, genes } = message as Said;
    const called = `${to} ${ticket}`;
    switch (name === 'engine' ? `engine ${message.type}` : name === 'broker' ? message.type : '') {
      case 'engine paged':
        this.#paged.add(record.activity);
        return;
      case 'engine unpaged':
        this.#paged.delete(activity);
        return;
      case 'engine shared':
        this.counts['lanes that share cells']++;
        return;
      case 'granted':
        this.#grants.set(called, { grant, activity: this.#asked.get(called) ?? '' });
        return;
      case 'reclaim':
        return this.#reclaim(called);
      case 'read':
        this.#reading.add(read);
        return;
      case 'pin':
        this.#wanted(grant, genes);
        return;
    }
  }

  heard({ name, sender }: Context, message: Message): void {
    if (name !== 'broker') return;
    const { grant, ticket, activity, word } = message as Said;
    switch (message.type) {
      case 'request':
        this.#asked.set(`${sender} ${ticket}`, activity);
        return;
      case 'ran':
      case 'never-ran':
        this.#reclaiming.delete(grant);
        return;
      case 'up':
        this.#reclaiming.clear();
        return;
      case 'disk':
        if (word.type === 'left') this.counts['a lane that left to disk']++;
        this.#reading.delete(word.read);
        return;
      case 'pinned':
      case 'short':
      case 'unpinned':
        this.#coming.delete(grant);
        return;
    }
  }

  #reclaim(called: string): void {
    const granted = this.#grants.get(called);
    if (granted === undefined) return;
    this.#reclaiming.add(granted.grant);
    if (this.#reclaiming.size > 1) this.counts['two reclaims at once']++;
    if (this.#paged.has(granted.activity)) this.counts['reclaim while paging in']++;
    if (this.#reading.size > 0) this.counts['reclaim while reading from disk']++;
  }

  #wanted(grant: number, genes: readonly NamedGene[]): void {
    const names = genes.map(({ gene }) => gene);
    const others = [...this.#coming.values()].flat();
    if (names.some((gene) => others.includes(gene))) this.counts['a gene wanted by two']++;
    this.#coming.set(grant, names);
  }
}
