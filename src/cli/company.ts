/**
 * The minds of the demo at work: each is asked all its questions at once and answers them in order.
 */
import type { Mind, Troupe, Turn, TurnResult } from '../index.js';
import { persons, question } from './cast.js';

/** Most tokens of one reply: long enough for a sentence or two. */
const REPLY_TOKENS = 64;
/** A little cooler than the default: the embedded model holds together better. */
const SAMPLING = { temperature: 0.7, topP: 0.9 };

export interface Member {
  readonly name: string;
  /** What it runs; empty: the model as it is. */
  readonly gene: string;
  readonly mind: Mind;
  readonly results: TurnResult[];
  /** The reply under way, or the last one. */
  words: string;
}

export interface Asking {
  /** Questions to each mind. */
  readonly turns: number;
  /** Makes the replies the same at each run; undefined: fresh ones. */
  readonly seed: number | undefined;
  /** Cancels all turns. */
  readonly signal: AbortSignal;
}

/** `genes`: those that are loaded. Who would run another runs none. */
export async function assemble(troupe: Troupe, count: number, genes: readonly string[]): Promise<Member[]> {
  const members: Member[] = [];
  for (const { name, gene: wanted, system } of persons(count)) {
    const gene = genes.includes(wanted) ? wanted : '';
    const runs = gene === '' ? [] : [{ gene, scale: 1 }];
    const mind = await troupe.mind(name, { system, sampling: SAMPLING, genes: runs });
    members.push({ name, gene, mind, results: [], words: '' });
  }
  return members;
}

/** Resolves when all have answered everything; `onReply` hears of each reply as it ends. */
export async function askAll(
  members: readonly Member[],
  asking: Asking,
  onReply: (member: Member, result: TurnResult) => void,
): Promise<void> {
  const asked = members.map(({ mind }, person) => turnsOf(mind, person, asking));
  const cancel = (): void => {
    for (const turn of asked.flat()) turn.cancel();
  };
  asking.signal.addEventListener('abort', cancel, { once: true });
  await Promise.all(
    members.map(async (member, person) => {
      for (const turn of asked[person] ?? []) {
        const result = await follow(member, turn);
        member.results.push(result);
        onReply(member, result);
      }
    }),
  );
}

function turnsOf(mind: Mind, person: number, { turns, seed }: Asking): Turn[] {
  return Array.from({ length: turns }, (_, turn) =>
    mind.turn(question(person, turn), {
      maxTokens: REPLY_TOKENS,
      sampling: seed === undefined ? {} : { seed: (seed + person * turns + turn) % 2 ** 32 },
    }),
  );
}

/** Reads a turn to its end, whatever end that is. */
async function follow(member: Member, turn: Turn): Promise<TurnResult> {
  let words = '';
  try {
    for await (const piece of turn) {
      words += piece.text;
      member.words = words;
    }
  } catch {
    // The result says why.
  }
  return turn.result;
}
