/**
 * A troupe that the tests of a file share: each finds it as it was started, with nobody in it, no gene and no page. A test
 * that needs other options than lanes, or has stopped it, gets another one, which those that follow share.
 */
import { afterAll } from 'vitest';
import type { Mind, Troupe, TroupeOptions } from '../../src/index.js';
import { startTroupe } from './stage.js';

interface Shared {
  readonly troupe: Troupe;
  /** What it was started with, but for lanes. */
  readonly options: string;
  /** Who came since it was last cleared. */
  readonly minds: Mind[];
}
let shared: Shared | undefined;
afterAll(() => shared?.troupe.stop());

export async function sharedTroupe(lanes: number, options: TroupeOptions = {}): Promise<Troupe> {
  if (shared?.options === JSON.stringify(options)) {
    // Also for what the lanes hold.
    await shared.troupe.relaunch({ lanes });
  } else {
    await shared?.troupe.stop();
    shared = await start(lanes, options);
  }
  return shared.troupe;
}

async function start(lanes: number, options: TroupeOptions): Promise<Shared> {
  const troupe = await startTroupe({ lanes, ...options });
  const minds: Mind[] = [];
  const [come, stop] = [troupe.mind.bind(troupe), troupe.stop.bind(troupe)];
  troupe.mind = async (...given) => {
    const mind = await come(...given);
    minds.push(mind);
    return mind;
  };
  troupe.stop = () => {
    if (shared?.troupe === troupe) shared = undefined;
    return stop();
  };
  return { troupe, options: JSON.stringify(options), minds };
}

/** Whoever came leaves, and what was loaded or spilled goes. */
export async function clear(): Promise<void> {
  if (shared === undefined) return;
  const { troupe, minds } = shared;
  await Promise.all(minds.splice(0).map((mind) => mind.leave()));
  for (const { name } of await troupe.genes.list()) await troupe.genes.unload(name);
  for (const { mind, room } of (await troupe.pages.spilled()).pages) await troupe.pages.remove(mind, room);
}
