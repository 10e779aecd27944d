/**
 * Programs of `bench/sides/actors`, each in a process of its own.
 */
import { apartIn } from '../harness/apart.mjs';

export const apart = apartIn('actors');
