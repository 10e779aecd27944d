// Publishes generation after generation of two pages in the folder that it is given, and says each that is done, until it
// is killed. What a generation holds follows from its number.
import { writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { loadAddon } from '../../dist/native/load.js';
import { lockDirectory } from '../../dist/pages/lock.js';
import { publish } from '../../dist/pages/publish.js';
import { list } from '../../dist/pages/read.js';
import { recover } from '../../dist/pages/recover.js';
import { generationBytes } from './generation.mjs';

const directory = lockDirectory(process.argv[2], loadAddon().files);
recover(directory);
const known = new Map(list(directory).pages.map(({ name, generation }) => [name, generation]));

for (;;) {
  for (const name of ['ada/main', 'bob/main']) {
    const generation = (known.get(name) ?? 0) + 1;
    const sections = generationBytes(name, generation);
    const part = (section, offset, length) => sections[section].subarray(offset, offset + length);
    const source = {
      layout: {
        fingerprint: '',
        cells: generation,
        sections: sections.map(({ length }) => ({ kind: 4, bytes: length })),
      },
      checksum: (section, offset, length, before) => crc32(part(section, offset, length), before),
      write: (file, section, offset, length) =>
        directory.disk.write(file, part(section, offset, length), null),
    };
    publish(directory, name, source, 0, () => {});
    known.set(name, generation);
    writeSync(1, `${name} ${generation}\n`);
  }
}
