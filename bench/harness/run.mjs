/**
 * Runs a bench: its parts one after another, their figures printed as they come.
 *
 * A bench is `{ name, parts }`, a part `{ figures, run }`: `figures` are the ids that it reports, `run` gets
 * `{ say, report }`. A part that fails is reported as missed, and the next one runs.
 */
import { progress } from '../../scripts/progress.mjs';
import { loadWarning } from './load.mjs';
import { asJson, asLine, judge } from './report.mjs';

/** @returns {Promise<number>} the exit code: 0 when every bar holds, 1 when one does not, 2 for wrong names */
export async function runBench(bench, { json, only }) {
  const { say } = progress();
  const known = bench.parts.flatMap(({ figures }) => figures);
  const unknown = only?.filter((figure) => !known.includes(figure)) ?? [];
  if (unknown.length > 0) {
    say(`${bench.name} has no figure ${unknown.join(', ')}; it has: ${known.join(', ')}`);
    return 2;
  }
  const warning = await loadWarning();
  if (warning) say(warning);
  let missed = 0;
  const report = (figure) => {
    const judged = judge(figure);
    if (!judged.ok) missed++;
    process.stdout.write(`${json ? asJson(bench.name, judged) : asLine(judged)}\n`);
  };
  for (const { figures, run } of bench.parts) {
    if (only && !figures.some((figure) => only.includes(figure))) continue;
    say(figures.join(', '));
    try {
      await run({ say, report });
    } catch (error) {
      missed++;
      say(`${figures.join(', ')} could not be measured: ${error.stack}`);
    }
  }
  return missed === 0 ? 0 : 1;
}
