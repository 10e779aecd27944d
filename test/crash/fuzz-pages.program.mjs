// Recovers, lists and restores pages whose files were changed at random, for the time that it is given; a page that can be
// restored is put into a lane and gone on from. Prints how many there were of each outcome, as JSON. The number of the case
// at hand lies in the file that it is given.
import {
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { TroupeError } from '../../dist/errors.js';
import { loadAddon } from '../../dist/native/load.js';
import { HEADER_BYTES } from '../../dist/pages/header.js';
import { pagePath, stagePath } from '../../dist/pages/layout.js';
import { lockDirectory } from '../../dist/pages/lock.js';
import { folderName } from '../../dist/pages/names.js';
import { publish } from '../../dist/pages/publish.js';
import { list, read } from '../../dist/pages/read.js';
import { recover } from '../../dist/pages/recover.js';
import { sourceOf, targetOf } from '../../dist/pages/store.js';
import { below, mutated, oneOf, randomOf } from './mutator.mjs';

const NAME = 'ada/main';
const CHECKED = HEADER_BYTES - 4;
const [, , casePath, firstCase, ms] = process.argv;
const { files: native, pages } = loadAddon();
const path = fileURLToPath(new URL('../../models/parlour-tiny-F16.gguf', import.meta.url));
const model = loadAddon().loadModel({ path, mmap: false, gpuLayers: 0 });
const context = model.context({
  ...{ lanes: 1, cells: 256, rows: 64, threads: 1, promptThreads: 1 },
  flashAttention: true,
});
const sampled = new Int32Array(1);
const step = (tokens, from) =>
  context.step(
    Int32Array.from(tokens.flatMap((token, i) => [token, 0, from + i, 0])),
    tokens.length,
    sampled,
  );

step(
  Array.from({ length: 40 }, (_, i) => 4 + i),
  0,
);
const page = context.pageOut(0, [
  { kind: 2, data: new Uint8Array(160) },
  { kind: 3, data: Buffer.from('{"a":1}') },
]);
const directory = lockDirectory(`${casePath}.folder`, native);
publish(directory, NAME, sourceOf(pages, page), 0, () => {});
pages.release(page);
const folder = pagePath(directory.path, folderName(NAME));
const stage = stagePath(directory.path, folderName(NAME));
const whole = new Map(readdirSync(folder).map((file) => [file, readFileSync(`${folder}/${file}`)]));

/** What a file's header would say of it, were it written so. */
function restated(bytes) {
  if (bytes.length < HEADER_BYTES) return bytes;
  const out = Buffer.from(bytes);
  out.writeBigUInt64LE(BigInt(out.length - HEADER_BYTES), 16);
  out.writeUInt32LE(crc32(out.subarray(HEADER_BYTES)), 48);
  return resummed(out);
}

function resummed(bytes) {
  if (bytes.length < HEADER_BYTES) return bytes;
  const out = Buffer.from(bytes);
  out.writeUInt32LE(crc32(out.subarray(0, CHECKED)), CHECKED);
  return out;
}

/** Of a lane's state, `native/src/state_layout.h`: the sum that its head would have, where its parts can be found. */
function innerSum(state) {
  const PART_BYTES = 24;
  const HEAD_BYTES = 20;
  const out = Buffer.from(state);
  const parts = out.length < HEAD_BYTES ? 0 : out.readUInt32LE(12);
  if (parts < 1 || parts > 3 || out.length < HEAD_BYTES + parts * PART_BYTES) return out;
  const aligned = (bytes) => Math.ceil(bytes / 64) * 64;
  out.writeUInt32LE(0, 8);
  let sum = crc32(out.subarray(0, HEAD_BYTES + parts * PART_BYTES));
  let at = aligned(HEAD_BYTES + parts * PART_BYTES);
  for (let part = 0; part < parts; part++) {
    const [meta, data] = [8, 16].map((field) =>
      Number(out.readBigUInt64LE(HEAD_BYTES + part * PART_BYTES + field)),
    );
    sum = crc32(out.subarray(at, at + meta), sum);
    at += aligned(meta) + aligned(data);
  }
  out.writeUInt32LE(sum, 8);
  return out;
}

/** The manifest says of a section what its file is now. */
function toldOf(files, index) {
  const manifest = files.get('manifest');
  const text = JSON.parse(manifest.toString('utf8', HEADER_BYTES));
  const name = [...files.keys()].find((file) => file.startsWith(`${index}-`));
  const payload = files.get(name).subarray(HEADER_BYTES);
  text.sections[index] = { ...text.sections[index], bytes: payload.length, checksum: crc32(payload) };
  files.set(
    'manifest',
    restated(Buffer.concat([manifest.subarray(0, HEADER_BYTES), Buffer.from(JSON.stringify(text))])),
  );
}

const WAYS = [
  /** A torn disk. */
  (files, random) => {
    const file = oneOf(random, [...files.keys()]);
    files.set(file, mutated(files.get(file), random, 300));
  },
  /** Headers whose sums are right. */
  (files, random) => {
    const file = oneOf(random, [...files.keys()]);
    const bytes = files.get(file);
    const header = mutated(bytes.subarray(0, HEADER_BYTES), random, HEADER_BYTES);
    files.set(file, resummed(Buffer.concat([header, bytes.subarray(HEADER_BYTES)])));
  },
  /** A manifest whose text is another. */
  (files, random) => {
    const bytes = files.get('manifest');
    const text = mutated(bytes.subarray(HEADER_BYTES), random, 400);
    files.set('manifest', restated(Buffer.concat([bytes.subarray(0, HEADER_BYTES), text])));
  },
  /** The state of a lane that is another, told as such by all headers. */
  (files, random) => {
    const bytes = files.get('0-kv');
    const changed = mutated(bytes.subarray(HEADER_BYTES), random, 600);
    const state = random() < 0.8 ? innerSum(changed) : changed;
    files.set('0-kv', restated(Buffer.concat([bytes.subarray(0, HEADER_BYTES), state])));
    toldOf(files, 0);
  },
  /** Files that are not there. */
  (files, random) => void files.delete(oneOf(random, [...files.keys()])),
];

function lay(random) {
  for (const at of [folder, stage]) rmSync(at, { recursive: true, force: true });
  const files = new Map(whole);
  oneOf(random, WAYS)(files, random);
  mkdirSync(folder);
  for (const [file, bytes] of files) writeFileSync(`${folder}/${file}`, bytes);
  if (random() < 0.3) return;
  // A publication that was cut short: some files are in the stage, some in their place.
  mkdirSync(stage);
  const staged = [...files.keys()].filter(() => random() < 0.7);
  for (const file of staged) renameSync(`${folder}/${file}`, `${stage}/${file}`);
}

const caseFile = openSync(casePath, 'w');
const outcomes = {};
const end = Date.now() + Number(ms);
for (let number = Number(firstCase); Date.now() < end; number++) {
  writeSync(caseFile, `${number}\n`, 0);
  const random = randomOf(number);
  lay(random);
  let outcome = 'used';
  let restored;
  try {
    recover(directory);
    list(directory);
    restored = read(
      directory,
      NAME,
      (layout) => targetOf(pages, layout),
      () => {},
    ).page;
    context.pageIn(0, restored);
    step([5 + below(random, 100)], context.length(0));
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    outcome = error.code;
  }
  context.clear(0);
  if (restored !== undefined) pages.release(restored);
  if (pages.list().length > 0) throw new Error(`a page is left over after ${outcome}`);
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}
process.stdout.write(JSON.stringify(outcomes));
