/**
 * Looks at what is said of pages that come from disk: what the pager says it read it has read, what a grant says was read for
 * it was, and a room that is on disk alone is not granted a lane without.
 */
import { belongsTo } from '../../src/actors/activity.js';
import type { DiskRead, DiskWord, FiledPage } from '../../src/actors/broker/protocol.js';
import { type EngineControl, type PageRecord, UNMADE } from '../../src/actors/engine/protocol.js';
import type { Receipt } from '../../src/actors/mind/protocol.js';
import type { PageStore } from '../../src/native/pages.js';
import type { Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message, Notice } from '../../src/runtime/message.js';
import type { Listener } from './listening.js';

/** Of what broker and engine say and hear. */
type Said = Message & {
  readonly grant: number;
  readonly ticket: number;
  readonly turn: number | undefined;
  readonly move: string | undefined;
  readonly activity: string;
  readonly continues: boolean;
  readonly read: DiskRead | undefined;
  readonly word: DiskWord;
  readonly record: PageRecord;
  readonly page: number;
  readonly name: string;
};

type Vacate = EngineControl & { readonly type: 'vacate' };

interface Asked {
  readonly activity: string;
  readonly turn: number | undefined;
  /** Bytes that were read since, of each page that came. */
  readonly came: number[];
}

export class DiskWords implements Listener {
  readonly #broken: (property: string, what: string) => void;
  readonly #pages: () => PageStore;
  readonly #asked = new Map<string, Asked>();
  /** What was said to have been read for each grant, and bytes of all grants of a turn. */
  readonly #granted = new Map<number, DiskRead | undefined>();
  readonly #said = new Map<number, number[]>();
  /** Grants that the engine was told to run, by turn. */
  readonly #runs = new Map<number, number[]>();
  /** Rooms that are on disk, and those that are in memory, as the broker has heard. */
  readonly #files = new Map<string, FiledPage>();
  readonly #inMemory = new Map<string, number>();
  /** Rooms that were forgotten: what of them was just being written for want of memory is of no use. */
  readonly #forgotten = new Set<string>();
  /** Grants that came with a page from disk. */
  fromDisk = 0;
  /** Of broker and pager. */
  #starts = 0;

  constructor(broken: (property: string, what: string) => void, pages: () => PageStore) {
    this.#broken = broken;
    this.#pages = pages;
  }

  started(name: string, saved: ReadonlyMap<string, unknown>): void {
    if (name === 'broker' || name === 'pager') this.#starts++;
    if (name !== 'broker') return;
    this.#files.clear();
    for (const [key, filed] of saved) {
      const { file } = filed as { readonly file?: FiledPage };
      if (key.startsWith('file/') && file !== undefined) this.#files.set(file.activity, file);
    }
  }

  told({ name }: Context, to: ActorId, message: Message): void {
    if (name !== 'broker') return;
    if (message.type === 'take-back') return this.#removed((message as Said).name);
    if (message.type === 'adopt') {
      const { record } = message as Said;
      this.#inMemory.set(record.activity, record.page);
    }
    if (message.type === 'vacate') return this.#vacate(message as unknown as Vacate);
    if (message.type !== 'granted') return;
    const { grant, ticket, read, continues } = message as Said;
    const asked = this.#asked.get(`${to} ${ticket}`);
    if (asked === undefined) return;
    const { activity, turn, came } = asked;
    const bytes = read?.bytes ?? 0;
    if (turn !== undefined) {
      this.#granted.set(grant, read);
      this.#said.set(turn, [...(this.#said.get(turn) ?? []), bytes]);
    }
    if (bytes > 0) this.fromDisk++;
    if (bytes > 0 && !came.includes(bytes)) this.#lie(`grant ${grant} says ${bytes}, and ${came} came`);
    const isNowhere = !continues && !this.#inMemory.has(activity) && this.#files.has(activity);
    if (isNowhere && read === undefined)
      this.#lie(`grant ${grant} of a room that is on disk alone has not read it`);
  }

  heard({ name, sender }: Context, message: Message): void {
    const said = message as Said;
    if (name === 'engine' && message.type === 'run' && said.turn !== undefined) {
      this.#runs.set(said.turn, [...(this.#runs.get(said.turn) ?? []), said.grant]);
    }
    if (name !== 'broker') return;
    const { activity, turn } = said;
    switch (message.type) {
      case 'request':
        this.#asked.set(`${sender} ${said.ticket}`, { activity, turn, came: [] });
        return;
      case 'paged':
        this.#inMemory.set(said.record.activity, said.record.page);
        return;
      case 'unpaged':
        if (this.#inMemory.get(activity) === said.page) this.#inMemory.delete(activity);
        return;
      case 'up':
        this.#inMemory.clear();
        for (const record of (message as unknown as { readonly pages: readonly PageRecord[] }).pages) {
          this.#inMemory.set(record.activity, record.page);
        }
        return;
      case 'forget-room':
        this.#files.delete(activity);
        this.#forgotten.add(activity);
        return;
      case 'disk':
        return this.#hear(said.word);
    }
  }

  /** What a turn's receipt says of disks, against what its grants said. */
  look(turn: number, { runs }: Receipt): void {
    const grants = this.#runs.get(turn) ?? [];
    const said = this.#said.get(turn) ?? [];
    for (const { fromDisk } of runs) {
      if (fromDisk.bytes > 0 && !said.includes(fromDisk.bytes)) {
        this.#lie(`turn ${turn} says that ${fromDisk.bytes} bytes came, and its grants say ${said}`);
      }
    }
    const read = grants.filter((grant) => (this.#granted.get(grant)?.bytes ?? 0) > 0).length;
    const shown = runs.filter(({ fromDisk }) => fromDisk.bytes > 0).length;
    if (runs.length === grants.length && shown !== read) {
      this.#lie(`turn ${turn} shows ${shown} runs with a page from disk, and ${read} had one`);
    }
  }

  /** A mind is gone: its rooms do not come back by themselves. */
  noticed({ name }: Context, notice: Notice): void {
    if (name !== 'broker' || notice.type !== 'ended' || notice.lost) return;
    for (const activity of [...this.#files.keys()]) {
      if (belongsTo(activity, notice.id)) this.#files.delete(activity);
    }
  }

  /** Whether the one who reads and writes, or the one who knows what was, has been started again. */
  get haveLost(): boolean {
    return this.#starts > 2;
  }

  /** Rooms on disk, by the names of their files. */
  names(): string[] {
    return [...this.#files.values()].map(({ file }) => file.name);
  }

  /** What leaves its lane is in memory from then on, and soon in a page. */
  #vacate({ claims, drop }: Vacate): void {
    for (const { activity, page } of drop) {
      if (this.#inMemory.get(activity) === page) this.#inMemory.delete(activity);
    }
    for (const { activity, keep } of claims) if (keep) this.#inMemory.set(activity, UNMADE);
  }

  #hear(word: DiskWord): void {
    switch (word.type) {
      case 'filed':
      case 'recalled':
        if (word.file.lent && this.#forgotten.has(word.file.activity)) return;
        this.#files.set(word.file.activity, word.file);
        if (word.type === 'recalled') this.#inMemory.set(word.file.activity, word.page);
        return;
      case 'removed':
        return this.#removed(word.name);
      case 'unread':
        if (SPOILT.includes(word.error.code)) this.#files.delete(word.activity);
        return;
      case 'read':
        return this.#read(word.record);
    }
  }

  #removed(name: string): void {
    for (const [activity, { file }] of [...this.#files]) {
      if (file.name === name) this.#files.delete(activity);
    }
  }

  #read({ activity, page, bytes }: PageRecord): void {
    const there = this.#pages().info(page)?.bytes;
    // An engine that was just started may have found it first, and let it go.
    if (there !== undefined && there !== bytes)
      this.#lie(`a page of ${bytes} bytes is said to be read, and ${there} bytes are there`);
    this.#inMemory.set(activity, page);
    for (const asked of this.#asked.values()) if (asked.activity === activity) asked.came.push(bytes);
  }

  #lie(what: string): void {
    this.#broken('what is said of disks is true', what);
  }
}

/** After these a file is no use to anybody. */
const SPOILT = ['NoSuchPage', 'PageCorrupt', 'PageMismatch'];
