import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openPort } from '../../src/runtime/port.js';

test('R4 what has arrived at a port is handed over before the port closes, and nothing after', async () => {
  const { port1, port2 } = new MessageChannel();
  const heard: unknown[] = [];
  const port = openPort(port1, (batch) => heard.push(batch));
  port2.postMessage(['saved']);
  port2.postMessage(['answered']);
  expect(heard).toEqual([]);
  port.close();
  expect(heard).toEqual([['saved'], ['answered']]);
  port2.postMessage(['too late']);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(heard).toHaveLength(2);
});
