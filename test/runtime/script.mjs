/** A whole program: starts a system, asks, leaves an ask open, stops, and should then be over. */
import { System } from '../../dist/runtime/system.js';

const system = await System.start([{ name: 'host', host: true }]);
const module = new URL('./actors/puppet.mjs', import.meta.url).href;
const id = await system.spawn({ name: 'puppet', module, args: {} });
system.ask(id, { type: 'hold' }, { deadlineMs: 60_000 }).catch(() => {});
await system.stop();
console.log('stopped');
