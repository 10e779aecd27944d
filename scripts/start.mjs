/**
 * `npm start`: makes the checkout ready, then runs the demo in this process. Arguments go to the demo.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, setupOrExit } from './setup.mjs';

await setupOrExit();
const troupe = join(ROOT, 'dist', 'cli', 'troupe.js');
process.argv.splice(1, 1, troupe, 'demo');
await import(pathToFileURL(troupe).href);
