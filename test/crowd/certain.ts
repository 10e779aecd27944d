/**
 * How much of a greedy reply is certain. Results differ in their last bits with the shape of a step, and in a crowd nobody
 * knows the shapes; so a reply is held to its words only as far as the likeliest token leads the next one clearly.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRenderer, type Message } from '../../src/actors/mind/rendering.js';
import type { AppliedGene } from '../../src/native/addon.js';
import { contextOptions, feed, load, TINY } from '../native/fixtures.js';
import type { Kind } from './genes.js';

/** Lead in logits; the shape of steps moves them by less than a tenth of it. */
const LEAD = 0.1;

export interface CertainReply {
  readonly text: string;
  readonly tokens: Int32Array;
  /** It ends by itself there. */
  readonly ended: boolean;
  /** What was said, with its tokens, to be gone on with. */
  readonly messages: readonly Message[];
}

export interface Foreseer {
  /** The reply of a mind to the last of the messages, as far as it is certain, and not beyond `most` tokens. */
  reply(kind: Kind, messages: readonly Message[], most: number): CertainReply;
  close(): void;
}

/** `genes`: their files by name. */
export function createForeseer(genes: ReadonlyMap<string, string>): Foreseer {
  const model = load(TINY);
  const context = model.context({ ...contextOptions, lanes: 1, rows: 256 });
  const renderer = createRenderer(model);
  const ends = new Set(model.ends());
  const ids = new Map<string, number>();
  for (const [name, path] of genes) {
    const bytes = readFileSync(path);
    const hash = createHash('sha256').update(bytes).digest('hex');
    ids.set(name, model.loadGene(bytes, { path, hash }).id);
  }
  const applied = ({ genes: named }: Kind): AppliedGene[] =>
    named.map(({ gene, scale }) => ({ gene: ids.get(gene) as number, scale }));
  return {
    reply(kind, messages, most) {
      const rendering = renderer.render(messages, true);
      context.clear(0);
      context.setGenes(0, applied(kind), kind.prefix === 'base' ? rendering.ends[0] : undefined);
      const tokens: number[] = [];
      let ended = false;
      for (let next: ArrayLike<number> = rendering.tokens; tokens.length < most; next = tokens.slice(-1)) {
        feed(context, 0, next);
        const { token, lead } = likeliest(context.logits(0));
        if (lead < LEAD) break;
        ended = ends.has(token);
        if (ended) break;
        tokens.push(token);
      }
      context.setGenes(0, []);
      const said = Int32Array.from(tokens);
      const text = Buffer.from(model.detokenize(said, false)).toString();
      return { text, tokens: said, ended, messages: rendering.messages };
    },
    close() {
      context.close();
      model.close();
    },
  };
}

function likeliest(logits: Float32Array): { token: number; lead: number } {
  let [token, first, second] = [0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [each, logit] of logits.entries()) {
    if (logit > first) [token, first, second] = [each, logit, first];
    else if (logit > second) second = logit;
  }
  return { token, lead: first - second };
}
