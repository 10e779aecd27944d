/** The minds of the crowd: what each is, its rooms, and what is said in them next. */
import type { Mind, MindOptions, Troupe } from '../../src/index.js';
import type { Random } from '../../src/testing/index.js';
import { KINDS, type Kind } from './genes.js';
import { GREEDY, type Saying, type Story } from './stories.js';

const CLASSES = ['realtime', 'interactive', 'background'] as const;
/** Rooms of one mind in which something may still be said. */
const ROOMS = 3;

export interface Room {
  readonly name: string;
  readonly story: Story;
  next: number;
  /** Something was cut short in it, and nobody knows what is said after that. */
  isSpoilt: boolean;
}

export class Member {
  readonly name: string;
  readonly kind: Kind;
  readonly #options: MindOptions;
  readonly #stories: readonly Story[];
  readonly #random: Random;
  #mind: Promise<Mind> | undefined;
  #rooms: Room[] = [];
  #made = 0;

  /** The `number`-th; `stories`: by kind. */
  constructor(number: number, stories: readonly (readonly Story[])[], random: Random) {
    const kind = number % KINDS.length;
    this.name = `mind ${number}`;
    this.kind = KINDS[kind] as Kind;
    this.#options = {
      ...this.kind,
      class: CLASSES[number % CLASSES.length] ?? 'interactive',
      sampling: GREEDY,
    };
    this.#stories = stories[kind] ?? [];
    this.#random = random;
  }

  /** Settles when it is there: it may have left and be about to come back. */
  get mind(): Promise<Mind> {
    return this.#mind ?? Promise.reject(new Error(`${this.name} never came`));
  }

  async enter(troupe: Troupe): Promise<void> {
    this.#mind = troupe.mind(this.name, this.#options);
    await this.#mind;
  }

  async leave(): Promise<void> {
    await (await this.mind).leave();
  }

  /** Leaves in the middle of whatever it does, and comes back without a memory of it. */
  async comeAgain(troupe: Troupe): Promise<void> {
    this.#rooms = [];
    const leaving = this.leave();
    this.#mind = leaving.then(() => troupe.mind(this.name, this.#options));
    await this.#mind;
  }

  /** A room that it has spoken in, or `main`. */
  someRoom(): string {
    return this.#rooms.length === 0 ? 'main' : this.#random.pick(this.#rooms).name;
  }

  /** Where it speaks next: a new room, or one whose story goes on. */
  nextRoom(): Room {
    this.#rooms = this.#rooms.filter(({ next, story, isSpoilt }) => !isSpoilt && next < story.length);
    if (this.#rooms.length > 0 && !this.#random.oneIn(3)) return this.#random.pick(this.#rooms);
    return this.newRoom();
  }

  newRoom(): Room {
    const story = this.#random.pick(this.#stories);
    const room = { name: `room ${++this.#made}`, story, next: 0, isSpoilt: false };
    this.#rooms = [...this.#rooms.slice(1 - ROOMS), room];
    return room;
  }

  /** Nobody knows any more what is said in any of its rooms. */
  forgetRooms(): void {
    for (const room of this.#rooms) room.isSpoilt = true;
  }
}

/** The next thing to be said in a room, which is then said. */
export function sayingOf(room: Room): Saying | undefined {
  return room.isSpoilt ? undefined : room.story[room.next++];
}
