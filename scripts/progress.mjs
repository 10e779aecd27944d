/**
 * Progress for a person who waits: a line with the seconds since the start, and a sign of life in long steps.
 *
 * Written to stderr, so that what a command answers on stdout stays clean.
 */
const QUIET_FOR_MS = 10_000;

export function progress(write = (line) => process.stderr.write(`${line}\n`)) {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  let saidAt = began;
  const say = (text) => {
    saidAt = performance.now();
    write(`${String(seconds()).padStart(4)} s  ${text}`);
  };
  /** Runs `work`; while nothing is said for ten seconds, says that `what` still goes on. */
  const during = async (what, work) => {
    say(what);
    const timer = setInterval(() => {
      if (performance.now() - saidAt >= QUIET_FOR_MS) say(`${what}: still at it`);
    }, 1000);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  };
  return { say, during, seconds };
}
