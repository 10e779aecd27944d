/**
 * `troupe demo`: a dozen minds on a few lanes answer questions in parallel, in the voices of the genes beside the model. There
 * are more minds than lanes and more genes than slots, so both move.
 *
 * On a terminal a live block shows them at work; elsewhere each reply is one line. Ends with a summary.
 */
import { basename } from 'node:path';
import type { Troupe } from '../index.js';
import { DEFAULT_MODEL } from '../options.js';
import { askAll, assemble, type Member } from './company.js';
import { describeMoves, type Moves, watchMoves } from './demo-moves.js';
import { type DemoState, drawDemo, type Player, summarise } from './demo-view.js';
import { counted } from './figures.js';
import { openTroupe } from './opening.js';
import { openScreen } from './screen.js';
import { oneLine, wrapped } from './text.js';
import { voicesOf } from './voices.js';

export interface DemoOptions {
  readonly minds: number;
  readonly turns: number;
  readonly lanes: number;
  readonly model?: string;
  readonly dir?: string;
  readonly seed?: number;
}

/** Tokens a second are those of the last so many ms. */
const RATE_MS = 1_000;
const INTERRUPTED = 130;

/** Answers the exit code: 0, or 1 when a turn failed, or 130 when it was interrupted. */
export async function demo(options: DemoOptions): Promise<number> {
  const voices = voicesOf(options.model ?? DEFAULT_MODEL);
  const { minds, turns, lanes } = options;
  await using troupe = await openTroupe({
    ...{ model: options.model, lanes, dir: options.dir },
    // Fewer than there are, so that they move.
    genes: { slots: Math.max(1, voices.length - 1) },
  });
  const interrupted = new AbortController();
  const interrupt = (): void => {
    // Asked twice: whoever asks does not want to wait for the turns to end.
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    interrupted.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const { stdout } = process;
  const say = (line: string): void => void stdout.write(`${line}\n`);

  const model = basename(options.model ?? DEFAULT_MODEL);
  for (const { name, path } of voices) await troupe.genes.load(path, { name });
  const members = await assemble(
    troupe,
    minds,
    voices.map(({ name }) => name),
  );
  const names = new Map(members.map(({ mind, name }) => [mind.id, name]));
  using moves = watchMoves(troupe, names);
  const look = watch(troupe, members, { model, turns, names, moves });
  if (!stdout.isTTY)
    say(`${model}: ${counted(minds, 'mind')} on ${counted(lanes, 'lane')}, ${counted(turns, 'turn')} each`);
  const screen = stdout.isTTY
    ? openScreen(stdout, (columns, rows) => drawDemo(look(), columns, rows))
    : undefined;
  const began = performance.now();
  const asking = { turns, seed: options.seed, signal: interrupted.signal };
  await askAll(members, asking, ({ name }, { text }) => {
    if (screen === undefined) say(`${name}: ${oneLine(text)}`);
  }).finally(() => screen?.close());
  const elapsedMs = performance.now() - began;
  if (screen !== undefined) for (const line of lastReplies(members, stdout.columns)) say(line);

  const results = members.flatMap((member) => member.results);
  const receipts = results.map((result) => result.receipt);
  for (const line of ['', ...summarise(receipts, members.length, elapsedMs), describeMoves(moves.look())])
    say(line);
  const errors = new Set(results.flatMap(({ error }) => error?.message ?? []));
  for (const message of errors) process.stderr.write(`troupe: ${message}\n`);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  return interrupted.signal.aborted ? INTERRUPTED : errors.size > 0 ? 1 : 0;
}

interface Watched {
  readonly model: string;
  readonly turns: number;
  /** Of the minds, by their ids. */
  readonly names: ReadonlyMap<number, string>;
  readonly moves: { look(): Moves };
}

/** A look at everything the live block shows. */
function watch(
  troupe: Troupe,
  members: readonly Member[],
  { model, turns, names, moves }: Watched,
): () => DemoState {
  const began = performance.now();
  const rate = meter();
  return () => {
    const { lanes, actors, tokens } = troupe.inspect();
    const now = performance.now();
    const queued = new Map(actors.map(({ id, depth }) => [id, depth.control + depth.user]));
    const speaking = new Set(lanes.flatMap((lane) => (lane.state === 'running' ? [lane.mind] : [])));
    const player = ({ name, gene, mind, results, words }: Member): Player => ({
      name,
      gene,
      state: results.length === turns ? 'done' : speaking.has(mind.id) ? 'speaking' : 'waiting',
      queued: queued.get(mind.id) ?? 0,
      turnsEnded: results.length,
      turnsAsked: turns,
      words,
    });
    return {
      model,
      elapsedMs: now - began,
      tokensPerSecond: rate(now, tokens.produced),
      lanes: lanes.map((lane) => ({ ...lane, mind: names.get(lane.mind) ?? '' })),
      moves: moves.look(),
      players: members.map(player),
    };
  };
}

/** A counter's growth a second, over the last `RATE_MS`. */
function meter(): (now: number, count: number) => number {
  const seen: { now: number; count: number }[] = [];
  return (now, count) => {
    seen.push({ now, count });
    while (seen.length > 2 && now - (seen[1]?.now ?? now) >= RATE_MS) seen.shift();
    const first = seen[0] ?? { now, count };
    return now > first.now ? ((count - first.count) * 1000) / (now - first.now) : 0;
  };
}

/** What each mind said last, whole. */
function lastReplies(members: readonly Member[], columns: number): string[] {
  return members.flatMap(({ name, results }) => {
    const { text } = results.findLast((result) => result.text !== '') ?? { text: '' };
    return ['', `${name}:`, ...wrapped(text, Math.max(20, columns - 3)).map((line) => `  ${line}`)];
  });
}
