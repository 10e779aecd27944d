/**
 * Every default and bound of the runtime, each with its reason.
 */

/** Messages that one band of a mailbox holds. A mailbox that long is a receiver that lost its sender. */
export const MAILBOX_BOUND = { system: 4096, control: 1024, user: 1024 } as const;

/** A slice of a thread's loop ends after this many messages or this long, so that timers and ports get a turn. */
export const SLICE_MESSAGES = 512;
export const SLICE_MS = 4;
/** Messages of one actor before the next one has its turn. */
export const BURST_MESSAGES = 64;

/** Messages posted to a peer thread and not yet taken from its port. Bounds what a flood can pile up there. */
export const LINK_WINDOW = 4096;
/** Messages kept here for a peer whose window is used up; past it `tell` answers false. */
export const LINK_OUTBOX = 4096;
/** Messages in one post: large enough to spread its cost, small enough to be taken in well under a millisecond. */
export const BATCH_MESSAGES = 256;

/** An ask without a deadline of its own. */
export const ASK_DEADLINE_MS = 5_000;

/** More crashes than this within the period end an actor (or a thread: `THREAD_RESTARTS`). */
export const RESTARTS = { count: 5, withinMs: 10_000 } as const;
export const THREAD_RESTARTS = { count: 5, withinMs: 60_000 } as const;

/** Actors of one thread that shared counters have room for. Untouched room takes no memory. */
export const BOARD_ACTORS = 131_072;
/** Longest name of an actor in UTF-8 bytes; it lies in shared memory. */
export const NAME_BYTES = 64;
/** One handler call in this many is timed. */
export const SAMPLE_EVERY = 64;

/** Queued messages that one `peek` lists, and characters of a preview. */
export const PEEK_MESSAGES = 100;
export const PEEK_PREVIEW = 120;

/** A thread has this long to start, to connect, and to leave by protocol before it is ended by force. */
export const THREAD_START_MS = 30_000;
export const THREAD_CONTROL_MS = 10_000;
export const THREAD_STOP_MS = 20_000;
