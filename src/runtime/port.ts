/**
 * The end of a line between two threads: a Node MessagePort as the `WirePort` that links write to.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Thread } from './thread.js';
import type { Batch, WirePort } from './wire.js';

export function openPort(thread: Thread, peer: number, port: MessagePort): WirePort {
  port.on('message', (batch: Batch) => thread.receive(peer, batch));
  return {
    post: (batch, transfer) => port.postMessage(batch, transfer as ArrayBuffer[]),
    close: () => port.close(),
  };
}
