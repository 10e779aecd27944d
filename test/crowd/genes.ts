/** The genes of the crowd, as files, and the kinds of minds that there are by what they run and with which beginning. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NamedGene } from '../../src/index.js';

const AUTHORS = ['kjv', 'melville'] as const;
/** Times its author's own strength: genes of one author speak differently, and are of one size. */
const STRENGTHS = { strong: 1.75, plain: 1, faint: 0.4 } as const;
const ALPHA = 'adapter.lora.alpha';

export const GENES: readonly string[] = AUTHORS.flatMap((author) =>
  Object.keys(STRENGTHS).map((strength) => `${author}-${strength}`),
);

/** Writes them all to a folder; answers their paths by name. */
export function writeGenes(folder: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const author of AUTHORS) {
    const file = new URL(`../../models/parlour-tiny-gene-${author}-F16.gguf`, import.meta.url);
    for (const [strength, times] of Object.entries(STRENGTHS)) {
      const bytes = readFileSync(fileURLToPath(file));
      const at = bytes.indexOf(ALPHA) + ALPHA.length + 4;
      bytes.writeFloatLE(bytes.readFloatLE(at) * times, at);
      const name = `${author}-${strength}`;
      paths.set(name, join(folder, `${name}.gguf`));
      writeFileSync(paths.get(name) as string, bytes);
    }
  }
  return paths;
}

/** What a mind is made with. */
export interface Kind {
  readonly genes: readonly NamedGene[];
  readonly system: string;
  readonly prefix: 'own' | 'base';
}

const MIXTURES: readonly (readonly NamedGene[])[] = [
  [],
  [
    { gene: 'kjv-plain', scale: 0.5 },
    { gene: 'melville-plain', scale: 0.5 },
  ],
  [
    { gene: 'kjv-strong', scale: 0.4 },
    { gene: 'melville-faint', scale: 0.9 },
    { gene: 'melville-strong', scale: -0.2 },
  ],
];

/** Each gene alone and each mixture, without and with a system prompt; that is shared where it runs no genes. */
export const KINDS: readonly Kind[] = [...GENES.map((gene) => [{ gene, scale: 1 }]), ...MIXTURES].flatMap(
  (genes): Kind[] => [
    { genes, system: '', prefix: 'own' },
    { genes, system: 'Speak as they do in old books.', prefix: 'base' },
  ],
);
