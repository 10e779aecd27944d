/**
 * Serving: what the way of a token through the actors costs, against a bare loop and against the peers.
 */
import { upstream } from './serving/upstream.mjs';

export const bench = { name: 'serving', parts: [upstream] };
