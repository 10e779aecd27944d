/**
 * What the demo shows: a live block of lanes and minds, and a summary at the end. Pure: plain data in, lines out.
 */
import type { LaneReport, Receipt } from '../index.js';
import { describeMoves, type Moves } from './demo-moves.js';
import { counted, duration, whole } from './figures.js';
import { cutStart, oneLine, padded } from './text.js';

export interface Player {
  readonly name: string;
  /** What it runs; empty: the model as it is. */
  readonly gene: string;
  readonly state: 'waiting' | 'speaking' | 'done';
  /** Messages in its mailbox. */
  readonly queued: number;
  readonly turnsEnded: number;
  readonly turnsAsked: number;
  /** The reply under way, or the last one. */
  readonly words: string;
}

export interface DemoState {
  readonly model: string;
  readonly elapsedMs: number;
  readonly tokensPerSecond: number;
  readonly lanes: readonly (Omit<LaneReport, 'mind'> & { readonly mind: string })[];
  readonly moves: Moves;
  readonly players: readonly Player[];
}

const NAME_COLUMNS = 14;
const GENE_COLUMNS = 10;

/** The live block; minds that do not fit are counted in its last line. */
export function drawDemo(state: DemoState, columns: number, rows: number): string[] {
  const { players, lanes, moves } = state;
  const sum = (of: (player: Player) => number): number =>
    players.reduce((total, player) => total + of(player), 0);
  const lines = [
    [
      state.model,
      `${counted(players.length, 'mind')} on ${counted(lanes.length, 'lane')}`,
      `${sum((p) => p.turnsEnded)} of ${counted(
        sum((p) => p.turnsAsked),
        'turn',
      )}`,
      `${whole(state.tokensPerSecond)} tokens/s`,
      duration(state.elapsedMs),
    ].join('  '),
    '',
    ...lanes.map(
      ({ lane, state: doing, held, mind }) =>
        `lane ${padded(String(lane), 4)}${padded(doing, 9)}${padded(mind, NAME_COLUMNS)}${held > 0 ? counted(held, 'token') : ''}`,
    ),
    `${padded('moved', 9)}${describeMoves(moves)}${moves.newest.length > 0 ? `: ${moves.newest.join(', ')}` : ''}`,
    '',
    `${padded('mind', NAME_COLUMNS)}${padded('gene', GENE_COLUMNS)}${padded('doing', 10)}${padded('mailbox', 9)}${padded('turns', 7)}words`,
  ];
  const room = Math.max(0, rows - lines.length);
  const shown = players.length <= room ? players : busiestFirst(players).slice(0, Math.max(0, room - 1));
  for (const { name, gene, state: doing, queued, turnsEnded, turnsAsked, words } of shown) {
    const row = `${padded(name, NAME_COLUMNS - 1)} ${padded(gene, GENE_COLUMNS - 1)} ${padded(doing, 10)}${padded(String(queued), 9)}${padded(`${turnsEnded}/${turnsAsked}`, 7)}`;
    lines.push(row + cutStart(oneLine(words), columns - row.length));
  }
  if (shown.length < players.length) lines.push(`and ${counted(players.length - shown.length, 'mind')} more`);
  return lines;
}

const ORDER = { speaking: 0, waiting: 1, done: 2 } as const;
const busiestFirst = (players: readonly Player[]): Player[] =>
  [...players].sort((a, b) => ORDER[a.state] - ORDER[b.state]);

/** The closing lines. */
export function summarise(receipts: readonly Receipt[], minds: number, elapsedMs: number): string[] {
  const sum = (of: (receipt: Receipt) => number): number =>
    receipts.reduce((total, one) => total + of(one), 0);
  const runs = receipts.flatMap((receipt) => receipt.runs);
  const produced = runs.reduce((total, run) => total + run.produced, 0);
  const processed = runs.reduce((total, run) => total + run.processed, 0);
  const reused = runs.reduce((total, run) => total + run.reused, 0);
  const outcomes = new Map<string, number>();
  for (const { outcome } of receipts) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const waits = receipts.map((receipt) => (receipt.waits.lane ?? 0) + (receipt.waits.cells ?? 0));
  const mean = (values: readonly number[]): number =>
    values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  const firstWords = receipts.flatMap(({ firstPieceMs, waits: { room = 0 } }) =>
    firstPieceMs === undefined ? [] : firstPieceMs - room,
  );
  return [
    `${counted(minds, 'mind')}, ${counted(receipts.length, 'turn')} in ${duration(elapsedMs)}: ${[...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`,
    `${counted(produced, 'token')} produced, ${whole((produced * 1000) / Math.max(1, elapsedMs))} a second; prompts: ${whole(processed)} processed, ${whole(reused)} reused`,
    `waits for a lane: mean ${duration(mean(waits))}, longest ${duration(Math.max(0, ...waits))}, all together ${duration(sum((r) => (r.waits.lane ?? 0) + (r.waits.cells ?? 0)))}`,
    `from its turn in the room to the first words: mean ${duration(mean(firstWords))}, longest ${duration(Math.max(0, ...firstWords))}`,
  ];
}
