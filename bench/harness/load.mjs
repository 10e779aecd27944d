/**
 * Whether the machine is quiet enough to measure on: what others take of it, read from `/proc/stat`.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 1000;
const BUSY_CORES = 0.25;

/** A warning in words, or undefined when the machine is quiet. */
export async function loadWarning() {
  const before = jiffies();
  await sleep(LOOK_MS);
  const after = jiffies();
  const cores = before.cores;
  const share = (key) => (cores * (after[key] - before[key])) / Math.max(1, after.total - before.total);
  const [busy, stolen] = [share('busy'), share('stolen')];
  if (busy + stolen < BUSY_CORES) return undefined;
  return (
    `the machine is not quiet: ${busy.toFixed(1)} of ${cores} cores are busy and ${stolen.toFixed(1)} are taken ` +
    'by its neighbours; figures will be worse and wider than they are'
  );
}

/** Fields of the first line of `/proc/stat`, as in proc(5): user nice system idle iowait irq softirq steal. */
function jiffies() {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user, nice, system, idle, iowait, irq, softirq, stolen] = lines[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq;
  return {
    cores: lines.filter((line) => /^cpu\d/.test(line)).length,
    busy,
    stolen,
    total: busy + idle + iowait + stolen,
  };
}
