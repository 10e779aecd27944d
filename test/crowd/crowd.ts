/**
 * A crowd of minds that speak, move, are cut short and leave, in an order that a seed decides. Whatever becomes of a turn
 * is judged when it is over.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { Mind, Troupe, Turn, TurnOptions } from '../../src/index.js';
import { Random } from '../../src/testing/index.js';
import { GENES } from './genes.js';
import { type Blow, type Told, type Trouble, wrongsOf } from './judge.js';
import { Member, type Room, sayingOf } from './members.js';
import type { Story } from './stories.js';

/** Of a turn that is to be cut short, from its call. */
const SOON_MS = 60;
const TURNS_OF_A_FLOOD = 20;
/** Said where nobody knows what is replied. */
const ANYTHING = { text: 'And then?', maxTokens: 6 };
/** What a move may be refused with: there may be nothing to move, or no room for it, or it may be elsewhere by then. */
const REFUSALS = new Set([
  ...['EmptyLane', 'NoSuchPage', 'PageMismatch', 'PageBusy', 'OverCeiling', 'OverDiskBudget', 'GeneInUse'],
  ...['GeneSlotsFull', 'ActorEnded', 'EngineLost', 'ThreadLost', 'MailboxFull'],
]);

export class Crowd {
  /** How turns have ended, by outcome, and what was wrong with them. */
  readonly outcomes: Record<string, number> = {};
  readonly wrongs: string[] = [];
  readonly #troupe: Troupe;
  readonly #random: Random;
  readonly #members: readonly Member[];
  readonly #open = new Map<Told, Promise<void>>();
  readonly #moves = new Set<Promise<void>>();
  readonly #numbers = new Set<number>();

  constructor(troupe: Troupe, minds: number, stories: readonly (readonly Story[])[], seed: number) {
    this.#troupe = troupe;
    this.#random = new Random(seed);
    this.#members = Array.from({ length: minds }, (_, i) => new Member(i, stories, this.#random));
  }

  async enter(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.enter(this.#troupe)));
  }

  /** Does something, once no more than so many turns are open. */
  async act(mostOpen: number): Promise<void> {
    while (this.#open.size > mostOpen) await Promise.race(this.#open.values());
    const member = this.#random.pick(this.#members);
    const mind = await member.mind;
    const dice = this.#random.below(100);
    if (dice < 82) this.#say(member, mind, member.nextRoom(), this.#trouble());
    else if (dice < 90) this.#moveRoom(mind, member.someRoom());
    else if (dice < 95) this.#moveGene();
    else if (dice < 98) this.#leave(member);
    else if (dice < 99) this.#flood(member, mind);
    else this.#move(this.#troupe.relaunch({ lanes: this.#random.between(2, 4) }));
  }

  /** Something befalls those who are called so: nobody knows what they say next. */
  strike(blow: Blow, names: ReadonlySet<string>): void {
    for (const told of this.#open.keys()) if (names.has(told.mind)) told.blows.add(blow);
    for (const member of this.#members) if (names.has(member.name)) member.forgetRooms();
  }

  /** Settles when all that was asked for but turns has. */
  async moved(): Promise<void> {
    while (this.#moves.size > 0) await Promise.all(this.#moves);
  }

  /** Settles when all that was asked for has. */
  async settled(): Promise<void> {
    await this.moved();
    await Promise.all(this.#open.values());
  }

  async leave(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.leave()));
  }

  /** Fails if it has not within so long, and says who waits for what. */
  async settledWithin(ms: number): Promise<void> {
    const ended = await Promise.race([this.settled().then(() => true), after(ms, false, { ref: false })]);
    if (ended) return;
    const waiting = new Set([...this.#open.keys()].map(({ mind }) => mind));
    const whys = [...waiting].map((mind) => this.#troupe.why(mind).sentence);
    throw new Error(
      `${this.#moves.size} moves and ${this.#open.size} turns are not over: ${whys.join('; ')}`,
    );
  }

  #trouble(): Trouble {
    const dice = this.#random.below(100);
    if (dice < 60) return 'none';
    if (dice < 78) return 'cancelled';
    if (dice < 86) return 'late';
    return dice < 93 ? 'ends when reclaimed' : 'drawn';
  }

  #flood(member: Member, mind: Mind): void {
    for (let i = 0; i < TURNS_OF_A_FLOOD; i++) this.#say(member, mind, member.newRoom(), 'none');
  }

  #say(member: Member, mind: Mind, room: Room, trouble: Trouble): void {
    const saying = trouble === 'drawn' ? undefined : sayingOf(room);
    const { text, maxTokens } = saying ?? ANYTHING;
    if (trouble !== 'none') room.isSpoilt = true;
    const turn = mind.turn(text, { room: room.name, maxTokens, ...this.#optionsOf(trouble) });
    const { name, kind } = member;
    const told: Told = { mind: name, room: room.name, kind, trouble, maxTokens, saying, blows: new Set() };
    this.#open.set(told, this.#hear(turn, told));
  }

  #optionsOf(trouble: Trouble): TurnOptions {
    if (trouble === 'late') return { deadline: 1 + this.#random.below(4 * SOON_MS) };
    if (trouble === 'ends when reclaimed') return { onReclaim: 'end' };
    if (trouble === 'drawn') return { sampling: { temperature: 1 } };
    if (trouble !== 'cancelled' || this.#random.oneIn(2)) return {};
    const signal = this.#random.oneIn(5)
      ? AbortSignal.abort()
      : AbortSignal.timeout(this.#random.below(SOON_MS));
    return { signal };
  }

  /** Some turns are read as they come, and some readers do not wait for the end. */
  async #hear(turn: Turn, told: Told): Promise<void> {
    const { trouble } = told;
    const isRead = this.#random.oneIn(2);
    const pieces = trouble === 'cancelled' ? this.#random.below(8) : Number.POSITIVE_INFINITY;
    if (trouble === 'cancelled' && this.#random.oneIn(2))
      void after(this.#random.below(SOON_MS)).then(() => turn.cancel());
    const read = isRead ? await piecesOf(turn, pieces) : undefined;
    const result = await turn.result;
    if (read !== undefined && pieces === Number.POSITIVE_INFINITY && read !== result.text)
      this.wrongs.push(`${told.mind}/${told.room}: "${read}" was read of "${result.text}"`);
    if (this.#numbers.has(result.receipt.turn))
      this.wrongs.push(`two receipts of turn ${result.receipt.turn}`);
    this.#numbers.add(result.receipt.turn);
    this.wrongs.push(...wrongsOf(told, result));
    this.outcomes[result.outcome] = (this.outcomes[result.outcome] ?? 0) + 1;
    this.#open.delete(told);
  }

  #leave(member: Member): void {
    this.strike('left', new Set([member.name]));
    this.#move(member.comeAgain(this.#troupe));
  }

  #moveRoom(mind: Mind, room: string): void {
    const dice = this.#random.below(4);
    if (dice === 0) this.#move(mind.pageOut({ room }));
    else if (dice === 1) this.#move(mind.pageIn({ room }));
    else this.#move(mind.spill({ room, drop: dice === 2 }));
  }

  #moveGene(): void {
    const { genes } = this.#troupe;
    const gene = this.#random.pick(GENES);
    this.#move(this.#random.oneIn(2) ? genes.pageOut(gene) : genes.pageIn(gene));
  }

  #move(move: Promise<unknown>): void {
    const over = move.then(
      () => {},
      (error: { code?: string }) => {
        if (!REFUSALS.has(error.code ?? '')) this.wrongs.push(`a move was refused: ${error}`);
      },
    );
    this.#moves.add(over);
    void over.then(() => this.#moves.delete(over));
  }
}

/** What a reader has who leaves after so many pieces. */
async function piecesOf(turn: Turn, most: number): Promise<string> {
  let [text, count] = ['', 0];
  try {
    for await (const piece of turn) {
      text += piece.text;
      if (++count > most) break;
    }
  } catch {
    // The turn has failed, and its result says how.
  }
  return text;
}
