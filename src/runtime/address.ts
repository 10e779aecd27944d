/**
 * Addresses of actors: one safe integer made of thread, slot and generation.
 *
 * The thread number survives the thread's restart and the slot survives its actor's, so an address stays valid as
 * long as its actor is meant to live; the generation keeps a reused slot from answering to an old address.
 */

/** The address of an actor. 0 is nobody: the sender of what no actor sent. */
export type ActorId = number;

export const NOBODY: ActorId = 0;

export const MAX_THREADS = 256;
const MAX_SLOTS = 2 ** 24;

/** Slot 0 of every thread is the thread's own actor. */
export const THREAD_SLOT = 0;

export const makeId = (thread: number, slot: number, generation: number): ActorId =>
  (generation * MAX_SLOTS + slot) * MAX_THREADS + thread;

export const threadOf = (id: ActorId): number => id % MAX_THREADS;
export const slotOf = (id: ActorId): number => Math.floor(id / MAX_THREADS) % MAX_SLOTS;
export const generationOf = (id: ActorId): number => Math.floor(id / (MAX_THREADS * MAX_SLOTS));

/** The address of a thread's own actor; its generation is 1 for ever. */
export const threadActor = (thread: number): ActorId => makeId(thread, THREAD_SLOT, 1);
