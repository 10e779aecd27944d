/**
 * The phases of an actor's life, as its cell has them, and what leads from one to the next. It has its behaviour exactly
 * while it is `running`; in every other phase messages wait.
 */
import { ActorState } from './board.js';

export const Phase = {
  /** It has its address and its mailbox. */
  placed: 0,
  /** A start is under way; after a crash also what comes before it: the stop, the word of its supervisor, the wait. */
  starting: 1,
  running: 2,
  /** It was idle for long, and its behaviour stops. */
  vanishing: 3,
  /** It starts at its next message. */
  passive: 4,
  /** For good; what it held is let go of. */
  ended: 5,
} as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

/** `down`: it crashed, or was taken down with a sibling. */
export type LifeEvent = 'start' | 'started' | 'down' | 'idle' | 'vanished' | 'end';

const { placed, starting, running, vanishing, passive, ended } = Phase;

const NEXT: Readonly<Record<Phase, Partial<Record<LifeEvent, Phase>>>> = {
  [placed]: { start: starting, end: ended },
  [starting]: { started: running, end: ended },
  [running]: { down: starting, idle: vanishing, end: ended },
  [vanishing]: { vanished: passive, end: ended },
  [passive]: { start: starting, end: ended },
  [ended]: {},
};

/** Throws where an event cannot come: a defect of the runtime. */
export function nextPhase(phase: Phase, event: LifeEvent): Phase {
  const next = NEXT[phase][event];
  if (next === undefined) throw new Error(`an actor that is ${PHASE_NAMES[phase]} cannot ${event}`);
  return next;
}

export const PHASE_NAMES = Object.keys(Phase) as (keyof typeof Phase)[];

/** Code of the actor is under way that its end waits for. */
export const isUnderWay = (phase: Phase): boolean => phase === starting || phase === vanishing;

/** How a phase shows on the board, with nothing in hand. */
export const SHOWN: Readonly<Record<Phase, number>> = {
  [placed]: ActorState.starting,
  [starting]: ActorState.starting,
  [running]: ActorState.idle,
  [vanishing]: ActorState.idle,
  [passive]: ActorState.passive,
  [ended]: ActorState.ending,
};
