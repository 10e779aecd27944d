/**
 * All who listen to what the actors of the simulated troupe say, and look on between two steps.
 */
import type { Wrapping } from '../../src/testing/wrapping.js';
import { DiskWords } from './disk-words.js';
import type { FakeAddon } from './fake-addon.js';
import { GeneHolders } from './gene-holders.js';
import { LaneOwners } from './lane-owners.js';
import { listening } from './listening.js';
import { RareMoments } from './rare-moments.js';
import { RoomPlaces } from './room-places.js';

export class Witnesses {
  readonly owners: LaneOwners;
  readonly holders = new GeneHolders();
  readonly words: DiskWords;
  readonly wrapping: Wrapping;
  readonly #places: RoomPlaces;
  readonly #moments = new RareMoments();

  constructor(addon: FakeAddon, broken: (property: string, what: string) => void) {
    this.owners = new LaneOwners(broken);
    this.words = new DiskWords(broken, () => addon.pages);
    this.#places = new RoomPlaces(broken, () => addon.context);
    this.wrapping = listening([this.owners, this.holders, this.words, this.#places, this.#moments]);
  }

  /** Between two steps. */
  look(): void {
    this.#places.look();
  }

  /** How often what is hard to come upon came to pass. */
  moments(): Record<string, number> {
    return { ...this.#moments.counts, 'a turn whose room came from disk': this.words.fromDisk };
  }
}
