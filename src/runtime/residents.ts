/**
 * The actors that a thread has before any other: its own, and on the control thread the directory and the store.
 */
import type { Cell } from './cell.js';
import { directory } from './directory.js';
import type { TroupeError } from './errors.js';
import type { HostData } from './platform.js';
import { store } from './store.js';
import type { Thread } from './thread.js';
import { type Loader, startThreadActor } from './thread-actor.js';
import { CONTROL_THREAD } from './well-known.js';

/**
 * `onVitalCrash`: without its own actors a thread cannot go on, since names and states would be lost without a word.
 */
export async function startResidents(
  thread: Thread,
  data: Pick<HostData, 'life' | 'directory'>,
  load: Loader,
  onVitalCrash: (error: TroupeError) => void,
): Promise<void> {
  thread.lines.threads = data.directory.threads;
  const vital = new Set([await startThreadActor(thread, data.life, load)]);
  if (thread.number === CONTROL_THREAD) {
    vital.add(await thread.spawn(directory, { name: 'directory', args: data.directory }));
    vital.add(await thread.spawn(store, { name: 'store', args: undefined }));
  }
  thread.onCrash = (cell: Cell, error: TroupeError) => {
    if (vital.has(cell.id)) onVitalCrash(error);
  };
}
