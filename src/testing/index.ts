/**
 * The test kit, `troupe/testing`: actors under test on the real runtime, in one thread and in virtual time.
 */
export type { Actor } from './actors.js';
export { ExpectationFailed, NeverSettles } from './errors.js';
export { EXPECT_MS, type ProbeActor, type Received } from './probe-actor.js';
export { Random } from './random.js';
export { type TestOptions, type TestSpawnOptions, TestSystem } from './test-system.js';
export type { Wrapping } from './wrapping.js';
