/**
 * Serving: what the way of a token through the actors costs, against a bare loop and against the peers.
 */
import { nodeLlamaCpp, server } from './serving/peers.mjs';
import { raw } from './serving/raw.mjs';
import { upstream } from './serving/upstream.mjs';

export const bench = { name: 'serving', parts: [upstream, raw, server, nodeLlamaCpp] };
