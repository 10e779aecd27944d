/**
 * Opens a model on the engine's thread: the weights (loaded, or those that other threads still hold) and the context.
 */
import type { NativeContext, NativeModel } from '../../native/addon.js';
import { loadAddon } from '../../native/load.js';
import type { EngineArgs, Shape } from './protocol.js';
import { Status } from './status.js';

/** `loaded`: the weights' number in this process, from an earlier start. */
export function openModel(args: EngineArgs, loaded: number | undefined): NativeModel {
  const addon = loadAddon();
  if (loaded !== undefined) {
    try {
      return addon.attachModel(loaded);
    } catch {
      // No thread held them any more: load them anew.
    }
  }
  return addon.loadModel({
    path: args.model,
    mmap: args.mmap,
    gpuLayers: args.gpuLayers,
    onProgress: (fraction) => {
      Atomics.store(args.status, Status.progress, Math.round(1000 * fraction));
      return Atomics.load(args.status, Status.cancel) === 0;
    },
  });
}

export function openContext(model: NativeModel, args: EngineArgs, { lanes, cells }: Shape): NativeContext {
  const context = model.context({
    lanes,
    cells,
    rows: Math.max(lanes, Math.min(args.rows, cells)),
    threads: args.threads,
    promptThreads: args.promptThreads,
    flashAttention: args.flashAttention,
    abortFlag: args.status.subarray(Status.abort, Status.abort + 1),
  });
  context.setCheckpointBudget(args.checkpointBytes);
  return context;
}
