/**
 * Addresses of actors: one safe integer made of generation, slot and thread.
 *
 * The thread number survives the thread's restart and the slot survives its actor's, so an address stays valid as
 * long as its actor is meant to live; the generation keeps a reused slot from answering to an old address.
 */

/** The address of an actor. 0 is nobody: the sender of what no actor sent. */
export type ActorId = number;

export const NOBODY: ActorId = 0;

/** Thread and slot share the low 32 bits, so that both come out by bit operations. */
const THREAD_BITS = 8;
const LOW = 2 ** 32;

export const MAX_THREADS = 2 ** THREAD_BITS;
/** Generations above the low bits of a safe integer. */
export const MAX_GENERATION = 2 ** 21 - 1;

/** Slot 0 of every thread is the thread's own actor. */
export const THREAD_SLOT = 0;

export const makeId = (thread: number, slot: number, generation: number): ActorId =>
  generation * LOW + slot * MAX_THREADS + thread;

export const threadOf = (id: ActorId): number => id & (MAX_THREADS - 1);
export const slotOf = (id: ActorId): number => id >>> THREAD_BITS;
export const generationOf = (id: ActorId): number => Math.floor(id / LOW);

/** The address of a thread's own actor; its generation is 1 for ever. */
export const threadActor = (thread: number): ActorId => makeId(thread, THREAD_SLOT, 1);
