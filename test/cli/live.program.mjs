/**
 * A troupe in trouble, for the commands that look at it from outside: `node live.program.mjs FOLDER`. Says `ready`, and ends
 * when its input does. On one lane bo and cy speak on and on, in realtime, and ada waits; a puppet is stuck with notes
 * behind it, and another has its messages come and go.
 */
import { fileURLToPath } from 'node:url';
import { Band, Troupe } from '../../dist/index.js';

const [, , dir] = process.argv;
const model = fileURLToPath(new URL('../../models/parlour-tiny-F16.gguf', import.meta.url));
const module = new URL('../runtime/actors/puppet.mjs', import.meta.url);

const troupe = await Troupe.start({ model, dir, lanes: 1, hosts: 1, threads: 1 });
const sampling = { temperature: 0, repeatPenalty: 1 };
const speakers = [
  await troupe.mind('bo', { class: 'realtime' }),
  await troupe.mind('cy', { class: 'realtime' }),
];
const ada = await troupe.mind('ada', { class: 'background' });
const [stuck, lively] = [await troupe.actor('stuck', module), await troupe.actor('lively', module)];

let over = false;
// A reply ends when the context is full, and others of them wait by then, ahead of ada.
const speak = async (mind, room) => {
  while (!over) await mind.turn('And the LORD said', { room, maxTokens: 400, sampling }).result;
};
const speaking = speakers.flatMap((mind) => ['a', 'b', 'c', 'd'].map((room) => speak(mind, room)));
while (troupe.inspect().lanes[0].state !== 'running') await new Promise((resolve) => setTimeout(resolve, 5));
const waiting = ada.turn('Good evening.', { maxTokens: 2 });
const held = stuck.ask({ type: 'hold' }, { deadlineMs: 600_000 }).catch(() => {});
stuck.tell({ type: 'note', value: 'a secret' });
stuck.tell({ type: 'note', value: 7 });
const ticking = setInterval(() => lively.tell({ type: 'note', value: 'a secret' }), 20);
while (troupe.inspect().actors.find(({ name }) => name === 'stuck').depth.user < 2) {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.resume().on('end', resolve));
over = true;
clearInterval(ticking);
stuck.tell({ type: 'let-go' }, { band: Band.control });
await held;
await troupe.stop();
await Promise.all([waiting.result, ...speaking]);
