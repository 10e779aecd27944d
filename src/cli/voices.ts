/**
 * The genes that lie beside a model, by the names of their files: `parlour-5m-gene-kjv-F16.gguf` is `kjv` of
 * `parlour-5m-Q8_0.gguf`.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Voice {
  readonly name: string;
  readonly path: string;
}

const MODEL = /^(.+)-[^-]+\.gguf$/;
const GENE = /^(.+)-gene-(.+)-[^-]+\.gguf$/;

/** In order of names; none where the folder cannot be read: the model's own load says why. */
export function voicesOf(model: string): Voice[] {
  const folder = dirname(model);
  const [, base] = MODEL.exec(basename(model)) ?? [];
  const found = listed(folder).flatMap((file) => {
    const [, of, name] = GENE.exec(file) ?? [];
    return name === undefined || of !== base ? [] : [{ name, path: join(folder, file) }];
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
