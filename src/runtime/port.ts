/**
 * The end of a line between two threads: a Node MessagePort as the `WirePort` that links write to.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Batch, WirePort } from './wire.js';

export function openPort(port: MessagePort, receive: (batch: Batch) => void): WirePort {
  port.on('message', receive);
  return {
    post: (batch, transfer) => port.postMessage(batch, transfer as ArrayBuffer[]),
    close() {
      // What a lost thread had said before its end has arrived: states handed over must not be dropped with the port.
      for (;;) {
        const left = receiveMessageOnPort(port) as { message: Batch } | undefined;
        if (left === undefined) break;
        receive(left.message);
      }
      port.off('message', receive);
      port.close();
    },
  };
}
