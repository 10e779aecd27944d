/** The worker behind `comlink.mjs`. */
import { parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
import nodeEndpoint from 'comlink/dist/umd/node-adapter.js';

expose({ echo: (value) => value }, nodeEndpoint(parentPort));
