/** What may become of a turn of the crowd, by what was done to it. Pure. */
import type { Outcome, TurnResult } from '../../src/index.js';
import type { Kind } from './genes.js';
import type { Saying } from './stories.js';

/** What is done to a turn from its call on. */
export const TROUBLES = ['none', 'cancelled', 'late', 'ends when reclaimed', 'drawn'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** What came over its mind while it was under way. */
export type Blow = 'left' | 'thread lost';

export interface Told {
  readonly mind: string;
  readonly room: string;
  readonly kind: Kind;
  readonly trouble: Trouble;
  readonly maxTokens: number;
  /** What it says if it is left alone; undefined: nobody knows. */
  readonly saying: Saying | undefined;
  readonly blows: Set<Blow>;
}

interface May {
  readonly outcome: Outcome;
  readonly code?: string;
}

/** How a turn may end beside as it would alone. */
const BY_TROUBLE: Record<Trouble, readonly May[]> = {
  none: [],
  drawn: [],
  cancelled: [{ outcome: 'aborted' }],
  late: [{ outcome: 'failed', code: 'DeadlineExceeded' }],
  'ends when reclaimed': [{ outcome: 'reclaimed' }],
};
const BY_BLOW: Record<Blow, May> = {
  left: { outcome: 'aborted' },
  'thread lost': { outcome: 'failed', code: 'ThreadLost' },
};

const WHOLE: readonly Outcome[] = ['stop', 'length'];

/** Sentences, one for each thing that is not as it must be. */
export function wrongsOf(told: Told, result: TurnResult): string[] {
  const { outcome, error, text, receipt } = result;
  const wrongs: string[] = [];
  const mustHold = (holds: boolean, what: string): void => void (holds || wrongs.push(what));
  const may = [...BY_TROUBLE[told.trouble], ...[...told.blows].map((blow) => BY_BLOW[blow])];
  const isWhole = WHOLE.includes(outcome);
  mustHold(
    isWhole || may.some((each) => each.outcome === outcome && each.code === error?.code),
    `it ended ${outcome} ${error?.code ?? ''}`,
  );
  // With its thread what was said before it may have gone.
  if (told.saying !== undefined && !told.blows.has('thread lost')) {
    const { reply, outcome: alone } = told.saying;
    if (isWhole) mustHold(outcome === alone, `it ended ${outcome}, and alone ${alone}`);
    mustHold(isWhole ? text === reply : reply.startsWith(text), `it said "${text}", and alone "${reply}"`);
  }
  mustHold(
    receipt.outcome === outcome && receipt.mind === told.mind && receipt.room === told.room,
    `its receipt is of a turn of ${receipt.mind}/${receipt.room} that ended ${receipt.outcome}`,
  );
  const { runs, phenotype } = receipt;
  const last = runs.at(-1);
  mustHold(
    runs.slice(0, -1).every((run) => run.outcome === 'reclaimed' || run.outcome === 'lost'),
    `its runs ended ${runs.map((run) => run.outcome)}`,
  );
  const produced = runs.reduce((sum, run) => sum + run.produced, 0);
  mustHold(produced <= told.maxTokens, `it produced ${produced} tokens of ${told.maxTokens}`);
  if (isWhole) {
    mustHold(last?.outcome === outcome, `its last run ended ${last?.outcome}`);
    const genes = told.kind.genes.map(({ gene }) => gene).sort();
    mustHold([...phenotype.genes].sort().join() === genes.join(), `it ran ${phenotype.genes}`);
    mustHold(receipt.turnsDropped === 0, `${receipt.turnsDropped} turns left its room`);
  }
  return wrongs.map((wrong) => `${told.mind}/${told.room} (${told.trouble}, ${[...told.blows]}): ${wrong}`);
}
