/**
 * What the engine holds of memory, as the native side measures it: the weights, the context and the buffers of a step by
 * where they are; the store of pages, which belongs to the process; and checkpoints, which lie in the same memory as pages.
 */
import { basename } from 'node:path';
import type { BufferBytes, NativeContext, NativeModel } from '../../native/addon.js';
import { loadAddon } from '../../native/load.js';
import type { Holds, Lease, LeaseKind } from '../broker/leases.js';
import type { PageRecord, Shape } from './protocol.js';

/**
 * Asked: lets go of pages, by number, and gives memory that their store holds and nothing uses back to the system; the answer is
 * how many bytes less the store holds.
 */
export interface Trim {
  readonly type: 'trim';
  readonly drop: readonly PageRecord[];
}

export function engineLeases(model: NativeModel, context: NativeContext, shape: Shape): Omit<Holds, 'type'> {
  const buffers = context.memory();
  const name = basename(model.info.path);
  const { bytes, windows, free } = loadAddon().pages.usage();
  const store = (owner: string, kind: LeaseKind, held: number): Lease => ({
    ...{ owner, kind, tier: 'host', bytes: held, floorBytes: 0 },
  });
  return {
    holder: 'engine',
    onePool: buffers.every(({ host }) => host),
    leases: [
      ...buffers.flatMap((buffer) => bufferLeases(name, buffer, shape)),
      store('pages', 'pages', bytes),
      store('pages', 'arena', free),
      { ...store('lanes', 'window', windows), floorBytes: windows },
      store('lanes', 'checkpoints', context.checkpointCounts().bytes),
    ].filter((lease) => lease.bytes > 0),
  };
}

/** Of the context stays what one lane needs; of the rest, all. */
function bufferLeases(model: string, buffer: BufferBytes, { cells, context }: Shape): Lease[] {
  const tier = buffer.host ? 'host' : 'device';
  const { modelBytes, contextBytes, computeBytes, outputBytes } = buffer;
  const lease = (kind: LeaseKind, bytes: number, floorBytes = bytes): Lease => ({
    ...{ owner: `${model}, ${buffer.buffer}`, kind, tier, bytes, floorBytes },
  });
  return [
    lease('weights', modelBytes),
    lease('context', contextBytes, Math.ceil(contextBytes * Math.min(1, context / cells))),
    lease('compute', computeBytes),
    lease('output', outputBytes),
  ];
}
