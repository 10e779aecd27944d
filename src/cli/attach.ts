/**
 * Attaching to a running troupe for a command: the only one of its data folder, or the one that was asked for.
 */
import { resolve } from 'node:path';
import { ManyTroupes, NoTroupe } from '../errors.js';
import { Client } from '../observer/client.js';
import { type Label, livingIn } from '../observer/sockets.js';
import { defaultDir } from '../options.js';

export interface AttachOptions {
  readonly pid?: Label;
  readonly dir?: string;
}

/** Rejects with `NoTroupe`, `ManyTroupes`, `ObserverFailed`, or `AskTimeout` when the process is too busy. */
export async function attach({ pid, dir = defaultDir() }: AttachOptions): Promise<Client> {
  const folder = resolve(dir);
  const living = await livingIn(folder);
  const labels = pid === undefined ? living : living.filter((label) => label === pid);
  const [label, ...more] = labels;
  if (label === undefined) throw new NoTroupe({ dir: folder, label: pid });
  if (more.length > 0) throw new ManyTroupes({ dir: folder, labels });
  return Client.attach(folder, label);
}
