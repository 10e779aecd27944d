/**
 * Processor time of another process, read from `/proc`: user and system, all its threads, in microseconds.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Counts in nanoseconds, of the threads alive now: the processes measured here keep theirs. */
export function processorTimeUs(pid) {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number.parseInt(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8'), 10);
  }
  return nanoseconds / 1000;
}

/** Processor time of this process, all its threads. */
export function ownProcessorTimeUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A clock that all processes of this machine share, in milliseconds. */
export const clockMs = () => Number(process.hrtime.bigint()) / 1e6;
