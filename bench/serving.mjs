/**
 * Serving: what the way of a token through the actors costs, against a bare loop and against the peers.
 */
import { firstToken } from './serving/first-token.mjs';
import { many } from './serving/many.mjs';
import { peers } from './serving/peers.mjs';
import { prompt } from './serving/prompt.mjs';
import { raw } from './serving/raw.mjs';
import { upstream } from './serving/upstream.mjs';

export const bench = {
  name: 'serving',
  parts: [...upstream, ...raw, ...peers, firstToken, prompt, many],
};
