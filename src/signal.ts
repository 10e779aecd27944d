/**
 * Abort signals: one listener a signal however many turns share it, for Node warns of a leak at the eleventh.
 */
const listening = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `cancel` when the signal aborts, at once if it has. Answers the function that takes it back. */
export function onAbort(signal: AbortSignal, cancel: () => void): () => void {
  if (signal.aborted) {
    cancel();
    return () => {};
  }
  const cancels = listening.get(signal) ?? listen(signal);
  cancels.add(cancel);
  return () => {
    cancels.delete(cancel);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const cancels = new Set<() => void>();
  listening.set(signal, cancels);
  const all = (): void => {
    for (const cancel of cancels) cancel();
  };
  signal.addEventListener('abort', all, { once: true });
  return cancels;
}
