// Restores `ada/main` from the pages folder that it is given, and prints the logits of some steps from there on.
import { fileURLToPath } from 'node:url';
import { loadAddon } from '../../dist/native/load.js';
import { PageFiles } from '../../dist/pages/page-files.js';
import { PageJobs } from '../../dist/pages/page-jobs.js';

const jobs = new PageJobs();
const files = await PageFiles.open(process.argv[2], jobs);
const { page } = await files.restore({ name: 'ada/main' }, { deadlineMs: 60_000 });
const path = fileURLToPath(new URL('../../models/parlour-tiny-F16.gguf', import.meta.url));
const model = loadAddon().loadModel({ path, mmap: false, gpuLayers: 0 });
const sizes = { lanes: 2, cells: 512, rows: 64, threads: 1, promptThreads: 1 };
const context = model.context({ ...sizes, flashAttention: true });
context.pageIn(1, page);
const sampled = new Int32Array(2);
const logits = [9, 31, 77].map((token) => {
  context.step(Int32Array.from([token, 1, context.length(1), 2]), 1, sampled);
  return Buffer.from(context.logits(0).buffer).toString('base64');
});
context.close();
model.close();
await files.close();
await jobs.close();
process.stdout.write(JSON.stringify(logits));
