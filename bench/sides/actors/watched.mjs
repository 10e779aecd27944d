/**
 * A system at work without an observer and with one, in turn: circles of actors on two threads, tokens in each, a part of
 * the hops across. Prints the ratio of rates unwatched / watched, that is the slowdown, pair by pair.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Observer } from '../../../dist/observer/server.js';
import { System } from '../../../dist/runtime/system.js';
import { expectWork, interleave } from '../../harness/interleave.mjs';
import { ratios } from '../../harness/pairs.mjs';

const { actors, tokens, hops, everyMs, pairs, sliceMs } = JSON.parse(process.argv[2]);

/** Neighbours in the circle that lie on one thread. */
const STRETCH = 20;

const system = await System.start([
  { name: 'host-a', host: true },
  { name: 'host-b', host: true },
]);
const [HOST_A, HOST_B] = [2, 3];
const module = new URL('./passer.mjs', import.meta.url).href;
const ids = await Promise.all(
  Array.from({ length: actors }, (_, i) => {
    const thread = Math.floor(i / STRETCH) % 2 === 0 ? HOST_A : HOST_B;
    return system.spawn({ name: `passer-${i}`, module, args: undefined, thread });
  }),
);
for (const [i, id] of ids.entries()) system.tell(id, { type: 'next', id: ids[(i + 1) % actors] });

let home;
let onEnded;
const start = (ctx) => {
  home = ctx.self;
  return { receive: ({ hops }) => onEnded(hops) };
};
await system.main.spawn({ kind: 'home', start }, { name: 'home', args: undefined });

async function work() {
  let ended = 0;
  let made = 0;
  await new Promise((resolve) => {
    onEnded = (hops) => {
      made += hops;
      if (++ended === tokens) resolve();
    };
    for (let i = 0; i < tokens; i++) {
      const at = ids[Math.floor((i * actors) / tokens)];
      system.tell(at, { type: 'token', home, left: hops, hops: 0 });
    }
  });
  expectWork('hops', made, tokens * hops);
  return made;
}

const dir = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
const source = {
  inspect: () => ({ ...system.inspect(), holds: [] }),
  peek: (id, preview) => system.peek(id, preview),
  trace: system.trace.bind(system),
  onProbe: system.onProbe.bind(system),
};
const observer = await Observer.open(source, dir);
const program = new URL('./onlooker.mjs', import.meta.url).pathname;
const options = JSON.stringify({ dir, label: String(process.pid), everyMs });
const onlooker = spawn(process.execPath, [program, options], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: onlooker.stdout })[Symbol.asyncIterator]();
let looks = 0;
const order = async (line) => {
  onlooker.stdin.write(`${line}\n`);
  looks = Number((await answers.next()).value);
};

const slices = await interleave([{ work }, { work, enter: () => order('on'), leave: () => order('off') }], {
  pairs,
  sliceMs,
});
observer.close();
onlooker.kill();
rmSync(dir, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ ...ratios(slices), looks }), () => process.exit());
