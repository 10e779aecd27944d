/**
 * Pages as a caller sees them: which minds' contexts are kept outside of lanes, listed and dropped. They come and go by
 * themselves; a mind's `pageOut` and `pageIn` are for who knows better when.
 */
import { activityOf, mindOf, roomOf } from './actors/activity.js';
import type { PageList } from './actors/broker/protocol.js';
import type { PageMove } from './actors/engine/protocol.js';
import type { MoveMessage } from './actors/pager/protocol.js';
import { checkFields, checkMs, checkRoom, checkText } from './check.js';
import { NoSuchPage } from './errors.js';
import type { Mind } from './mind.js';
import { pageNameOf } from './pages/room-names.js';
import { removeSpilled, type SpilledPages, spilledPages } from './spilled.js';
import type { Stage } from './stage.js';

/** A page waits for the turns of its room, and these may take long. */
const DEFAULT_DEADLINE_MS = 60_000;
/** Longer than the deadline that the pager itself holds. */
const ANSWER_GRACE_MS = 15_000;

export interface PageOptions {
  /** Default `main`. */
  readonly room?: string;
  /** Milliseconds, waiting included; default 60,000. */
  readonly deadline?: number;
}

/** The page of one room of a mind. */
export interface PageInfo {
  readonly mind: string;
  readonly room: string;
  /** Tokens whose KV it has. */
  readonly tokens: number;
  /** Bytes that it takes of `memory.pages`. */
  readonly bytes: number;
}

/** Has a room of a mind leave its lane, or come back into one. */
export async function movePage(
  stage: Stage,
  mind: Mind,
  type: MoveMessage['type'],
  options: unknown,
): Promise<PageMove> {
  const given = checkFields<PageOptions>(options, 'options', ['room', 'deadline']);
  const room = checkRoom(given.room, 'options.room');
  const deadlineMs = checkMs(given.deadline, 'options.deadline') ?? DEFAULT_DEADLINE_MS;
  const message: MoveMessage = {
    type,
    mind: mind.id,
    activity: activityOf(mind.id, room),
    name: pageNameOf(mind.name, room),
    deadlineMs,
  };
  return stage.system.ask<PageMove>(stage.pager, message, { deadlineMs: deadlineMs + ANSWER_GRACE_MS });
}

export class Pages {
  readonly #stage: () => Stage;
  readonly #minds: ReadonlyMap<string, Mind>;

  /** For `Troupe`. */
  constructor(stage: () => Stage, minds: ReadonlyMap<string, Mind>) {
    this.#stage = stage;
    this.#minds = minds;
  }

  /** The oldest first. */
  async list(): Promise<PageInfo[]> {
    const { system, mindArgs } = this.#stage();
    const records = await system.ask<PageList>(mindArgs.broker, { type: 'pages' });
    const names = new Map([...this.#minds.values()].map(({ id, name }) => [id, name]));
    return records.flatMap(({ activity, held, bytes }) => {
      const mind = names.get(mindOf(activity));
      return mind === undefined ? [] : [{ mind, room: roomOf(activity), tokens: held, bytes }];
    });
  }

  /** What is on disk, of minds that are not here too. Rejects with `FolderNotOwn`, `DirectoryInUse` or `DiskFailure`. */
  async spilled(): Promise<SpilledPages> {
    return spilledPages(this.#stage());
  }

  /**
   * Removes a room's page, and what was said in it, from disk. Rejects with `NoSuchPage`, `PageBusy`, `FolderNotOwn`,
   * `DirectoryInUse` or `DiskFailure`.
   */
  async remove(mind: string, room?: string): Promise<void> {
    await removeSpilled(this.#stage(), checkText(mind, 'mind'), checkRoom(room, 'room'));
  }

  /**
   * Frees the page of a mind's room in memory: its next turn reads the conversation anew, or from disk if it was spilled.
   * Rejects with `NoSuchPage`, also while a turn of the room runs or waits.
   */
  async drop(mind: string, room?: string): Promise<void> {
    const name = checkText(mind, 'mind');
    const checked = checkRoom(room, 'room');
    const found = this.#minds.get(name);
    if (found === undefined) throw new NoSuchPage({ name: `${name}/${checked}` });
    const { system, mindArgs } = this.#stage();
    const message = { type: 'drop-page', activity: activityOf(found.id, checked) };
    await system.ask(mindArgs.broker, message).catch((error: unknown) => {
      if (error instanceof NoSuchPage) throw new NoSuchPage({ name: `${name}/${checked}` });
      throw error;
    });
  }
}
