/** What is said to the minds of the crowd, and what each kind of mind replies when it is alone. */
import type { Message } from '../../src/actors/mind/rendering.js';
import type { Troupe } from '../../src/index.js';
import type { CertainReply, Foreseer } from './certain.js';
import { KINDS, type Kind } from './genes.js';

const SAYINGS = [
  'Tell me about the sea.',
  'Good evening.',
  'And the ship?',
  'Who was aboard?',
  'What did the captain say?',
  'In the beginning',
  'The people of',
  'My dear Elizabeth,',
  'Where did they go?',
  'And it came to pass',
  'What of the whale?',
  'Then the king answered',
  'Is it far?',
  'He went out of the house and',
];
const STORIES_A_KIND = 2;
const SAYINGS_A_STORY = 3;
const MOST_TOKENS = 24;
/** Shorter replies come to nothing. */
const LEAST_TOKENS = 4;

export interface Saying {
  readonly text: string;
  readonly maxTokens: number;
  readonly reply: string;
  readonly outcome: 'stop' | 'length';
}
export type Story = readonly Saying[];

/** By kind. */
export function writeStories(foreseer: Foreseer): Story[][] {
  return KINDS.map((kind, i) =>
    Array.from({ length: STORIES_A_KIND }, (_, j) => writeStory(foreseer, kind, i + j * STORIES_A_KIND)),
  );
}

function writeStory(foreseer: Foreseer, kind: Kind, from: number): Story {
  let said: readonly Message[] = kind.system === '' ? [] : [{ role: 'system', content: kind.system }];
  const story: Saying[] = [];
  for (let i = 0; i < SAYINGS.length && story.length < SAYINGS_A_STORY; i++) {
    const text = SAYINGS[(from + i) % SAYINGS.length] as string;
    const reply = foreseer.reply(kind, [...said, { role: 'user', content: text }], MOST_TOKENS);
    if (!isUsable(reply)) continue;
    const { tokens, ended } = reply;
    story.push({
      ...{ text, reply: reply.text, outcome: ended ? 'stop' : 'length' },
      maxTokens: ended ? MOST_TOKENS + 1 : tokens.length,
    });
    said = [...reply.messages, { role: 'assistant', content: reply.text, tokens, tokensOf: reply.text }];
  }
  return story;
}

/** A token that ends within a character says nothing by itself. */
const isUsable = ({ text, tokens }: CertainReply): boolean =>
  tokens.length >= LEAST_TOKENS && /^[\x20-\x7e\n]+$/.test(text);

/** What the minds of all kinds say one after the other, each alone in the troupe. */
export async function tellAlone(troupe: Troupe, stories: readonly (readonly Story[])[]): Promise<Story[][]> {
  const told: Story[][] = [];
  for (const [i, kind] of KINDS.entries()) {
    await using mind = await troupe.mind(`alone ${i}`, { ...kind, sampling: GREEDY });
    const ofKind: Story[] = [];
    for (const [j, story] of (stories[i] ?? []).entries()) {
      const sayings: Saying[] = [];
      for (const saying of story) {
        const { maxTokens } = saying;
        const { text: reply, outcome } = await mind.turn(saying.text, { room: `${j}`, maxTokens }).result;
        sayings.push({ ...saying, reply, outcome: outcome as Saying['outcome'] });
      }
      ofKind.push(sayings);
    }
    told.push(ofKind);
  }
  return told;
}

/** The likeliest token, whatever was said before. */
export const GREEDY = { temperature: 0, repeatPenalty: 1 };
