/**
 * Whether something that crashed starts again: restart intensity, decided on plain data.
 */
export interface Intensity {
  readonly count: number;
  readonly withinMs: number;
}

/** `crashes`: times of earlier crashes, oldest first. Answers the times to remember, or that enough is enough. */
export function judgeCrash(
  crashes: readonly number[],
  now: number,
  intensity: Intensity,
): { restart: true; crashes: number[] } | { restart: false } {
  const recent = crashes.filter((at) => now - at < intensity.withinMs);
  if (recent.length >= intensity.count) return { restart: false };
  return { restart: true, crashes: [...recent, now] };
}
