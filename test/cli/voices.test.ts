/** Genes that the demo finds beside a model. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { voicesOf } from '../../src/cli/voices.js';
import { folder, TINY } from '../face/stage.js';

describe('U2 the voices of a model', () => {
  it('U2 are the genes beside it that are called after it', () => {
    expect(voicesOf(TINY).map(({ name }) => name)).toEqual(['kjv', 'melville']);
    using place = folder();
    const files = ['a-b-F16.gguf', 'a-b-gene-two-parts-F16.gguf', 'a-gene-other-F16.gguf', 'a-b-gene-x.txt'];
    for (const file of files) writeFileSync(join(place.path, file), '');
    expect(voicesOf(join(place.path, 'a-b-Q8_0.gguf'))).toEqual([
      { name: 'two-parts', path: join(place.path, 'a-b-gene-two-parts-F16.gguf') },
    ]);
  });

  it('U2 are none where there are none', () => {
    using place = folder();
    expect(voicesOf(join(place.path, 'model.gguf'))).toEqual([]);
    expect(voicesOf('/no/such/folder/model-F16.gguf')).toEqual([]);
  });
});
