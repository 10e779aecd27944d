/**
 * One side of a comparison: a process of its own that decodes without end and can be stopped and continued.
 *
 * A side runs in a process group, so that what it starts itself (a server) stops and ends with it. Its script speaks
 * by driver.mjs: `ready` when its sequences stand at their first token, then a report of samples at the end.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const READY_WITHIN_MS = 120_000;
const REPORT_WITHIN_MS = 60_000;

const running = new Set();
process.on('exit', () => {
  for (const group of running) process.kill(-group, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/**
 * @param {string} script the side's script
 * @param {object} options handed to it
 */
export async function startSide(script, options) {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const group = child.pid;
  running.add(group);
  let gone;
  const ended = new Promise((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      running.delete(group);
      gone = new Error(`the side ${script} ended early (${signal ?? `exit code ${code}`})`);
      reject(gone);
    });
  });
  ended.catch(() => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (what, withinMs) => {
    const late = after(withinMs, `the side ${script} did not ${what} within ${withinMs / 1000} s`);
    try {
      const { value, done } = await Promise.race([lines.next(), ended, late.promise]);
      return done ? await ended : JSON.parse(value);
    } finally {
      late.cancel();
    }
  };
  const { ready } = await next('get ready', READY_WITHIN_MS);
  const go = (signal) => {
    if (gone) throw gone;
    process.kill(-group, signal);
  };
  return {
    ready,
    /** Lets it decode for the first time. */
    begin: () => child.stdin.write('begin\n'),
    pause: () => go('SIGSTOP'),
    resume: () => go('SIGCONT'),
    /** Its samples, after checking that the work was done. */
    async finish() {
      go('SIGCONT');
      child.stdin.write('finish\n');
      const { report } = await next('report', REPORT_WITHIN_MS);
      running.delete(group);
      if (report.verified !== true) throw new Error(`${script} did not do its work: ${report.verified}`);
      return report;
    },
    /** Ends it at once. */
    kill() {
      if (running.delete(group)) go('SIGKILL');
    },
  };
}

function after(ms, message) {
  let timer;
  const promise = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  return { promise, cancel: () => clearTimeout(timer) };
}
