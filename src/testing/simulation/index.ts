/**
 * Simulation: a subject run by seed, with faults, and checked at every step.
 */
export { describeFault, drawFault, type FaultyThreads, type SystemFault, spareThreads } from './faults.js';
export { explain, type Failure, report, run, trialOf } from './simulate.js';
export { SimulatedSystem, type SimulationOptions } from './simulated-system.js';
export type { Outcome, Subject, Trial, Violation } from './subject.js';
