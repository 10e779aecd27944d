/**
 * The rooms of `src/` and what each may import: the picture of docs/architecture.md as a table, and its check.
 */
import { posix } from 'node:path';

/** A room's own files are always allowed, the shared ones to all but the runtime. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  cli: ['gateway', 'index', 'observer'],
  gateway: ['index', 'observer'],
  index: ['actors', 'genome', 'observer', 'pages', 'runtime'],
  observer: ['runtime'],
  testing: ['runtime'],
  actors: ['genome', 'pages', 'runtime'],
  jobs: ['native', 'genome', 'pages', 'runtime'],
  genome: [],
  pages: ['native', 'runtime'],
  native: [],
  shared: ['runtime'],
  runtime: [],
};

/** Files beside `index.ts` that every layer above the runtime speaks with. */
const SHARED = ['errors.ts', 'nearest.ts', 'user.ts'];

/** Rooms whose shapes, and nothing else, may be named (`import type`): what a header says, what a job answers. */
const MAY_NAME: Record<string, readonly string[]> = {
  index: ['native', 'jobs'],
  actors: ['native', 'jobs'],
};

/** Actors that touch the addon, beside their room's row. */
const NATIVE_ACTORS = ['actors/engine/', 'actors/residency/', 'actors/embedder/'];

/** The room of a file, given its path under `src/`. */
export function roomOf(path: string): string {
  if (SHARED.includes(path)) return 'shared';
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'index';
}

export interface Import {
  readonly from: string;
  /** Gone from the compiled file. */
  readonly typeOnly: boolean;
}

/** What a source text imports, static, dynamic or re-exported. */
export function importsOf(text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const statements = code.matchAll(
    /\b(?:(import|export)(\s+type\b)?[^;'"]*?from\s*|import\s*\(?\s*)'([^']+)'/g,
  );
  return [...statements].map(([, , type, from]) => ({ from: from!, typeOnly: type !== undefined }));
}

/** Sentences, one for each import that runs against the arrows. `sources`: text by path under `src/`. */
export function wrongArrows(sources: ReadonlyMap<string, string>): string[] {
  const wrong: string[] = [];
  for (const [path, text] of sources) {
    const room = roomOf(path);
    const row = MAY_IMPORT[room];
    if (!row) wrong.push(`${path} stands in no known room`);
    for (const { from, typeOnly } of importsOf(text)) {
      if (!from.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), from).replace(/\.js$/, '.ts');
      const other = roomOf(target);
      const allowed =
        other === room ||
        row?.includes(other) ||
        (typeOnly && MAY_NAME[room]?.includes(other)) ||
        (other === 'shared' && room !== 'runtime') ||
        (other === 'native' && NATIVE_ACTORS.some((folder) => path.startsWith(folder)));
      if (!allowed) wrong.push(`${path} imports ${target}`);
    }
  }
  return wrong;
}
