/**
 * What the fake engine says: the next token follows from all that the lane holds, and from what each of it was computed
 * under.
 */
import type { AppliedGene } from '../../src/native/addon.js';
import { computed, laneGenes } from './fake-genes.js';

/** Ends a reply. */
export const EOS = 256;

/** What follows the tokens of a lane; the reply ends after some ten tokens. */
export function nextToken(tokens: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const token of tokens) hash = Math.imul(hash ^ token, 0x01000193) >>> 0;
  return hash % 11 === 0 ? EOS : 97 + ((hash >>> 8) % 26);
}

/** What the engine was told to run. */
export interface SoloRun {
  readonly tokens: Int32Array;
  readonly maxTokens: number;
  readonly genes: readonly AppliedGene[];
  readonly base: number;
}

/** The reply to a prompt, alone on an engine that nothing disturbs. */
export function soloReply({ tokens, maxTokens, genes, base }: SoloRun): string {
  const applied = laneGenes(genes, base);
  const held = Array.from(tokens, (token, i) => computed(token, i, applied));
  let reply = '';
  for (let i = 0; i < maxTokens; i++) {
    const token = nextToken(held);
    if (token === EOS) break;
    reply += String.fromCharCode(token);
    held.push(computed(token, held.length, applied));
  }
  return reply;
}
