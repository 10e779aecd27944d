/**
 * `troupe doctor`: what is built, which model, threads, memory and folders, and what is wrong and how to mend it.
 */
import { checkup, type Finding } from '../checkup.js';
import { wrapped } from './text.js';

export interface DoctorOptions {
  readonly model?: string;
  readonly dir?: string;
}

/** Answers the exit code: 0 when a troupe could start here, else 1. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const findings = await checkup(options);
  process.stdout.write(`${describe(findings, process.stdout.columns ?? 100).join('\n')}\n`);
  return findings.every((finding) => finding.good) ? 0 : 1;
}

const ABOUT_COLUMNS = 14;

export function describe(findings: readonly Finding[], columns: number): string[] {
  const lines = findings.flatMap(({ about, good, says, mend }) => {
    const body = wrapped(says, Math.max(20, columns - ABOUT_COLUMNS));
    const [first = '', ...rest] = mend === undefined ? body : [...body, `to mend it: ${mend}`];
    const sign = mend === undefined ? 'ok   ' : good ? 'WARN ' : 'WRONG';
    const head = `${sign} ${about}`.padEnd(ABOUT_COLUMNS);
    return [head + first, ...rest.map((line) => ' '.repeat(ABOUT_COLUMNS) + line)];
  });
  const wrong = findings.filter((finding) => !finding.good).length;
  return [
    ...lines,
    '',
    wrong === 0 ? 'A troupe can start here.' : `${wrong} of ${findings.length} need mending.`,
  ];
}
