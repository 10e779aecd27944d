/**
 * Every default and bound of the runtime, each with its reason.
 */

/** Messages that one band of a mailbox holds. A mailbox that long is a receiver that lost its sender. */
export const MAILBOX_BOUND = { system: 4096, control: 1024, user: 1024 } as const;

/** A slice of a thread's loop ends after this many messages. */
export const SLICE_MESSAGES = 512;
/** Handlers hold a thread for this long, then timers and ports get a turn. */
export const SLICE_MS = 4;
/** Slices between two turns of the loop, however short: a backstop for clocks that stand still. */
export const SLICES_A_TURN = 64;
/** Messages of one actor before the next one has its turn. */
export const BURST_MESSAGES = 64;
/** Handled messages between two looks at the clock, when they are quick; a look costs as much as a message. */
export const CLOCK_EVERY = 64;
/** Idle work is not put off by messages for more slices than this in a row. */
export const WORK_AFTER_SLICES = 8;

/** User (and as many control) messages posted to a peer thread and not yet taken from its port: bounds a flood. */
export const LINK_WINDOW = 4096;
/** User messages kept here for a peer whose window is used up; past it `tell` answers false. */
export const LINK_OUTBOX = 4096;
/** Messages in one post: large enough to spread its cost, small enough to be taken in well under a millisecond. */
export const BATCH_MESSAGES = 256;

/** An ask without a deadline of its own. */
export const ASK_DEADLINE_MS = 5_000;

/** Actors that a search for a deadlock goes through: bounds what an ask can cost; longer rings end by their deadlines. */
export const WALKED_ACTORS = 1_024;
/** A search for a deadlock that spans threads begins after this: nearly every ask is answered sooner. */
export const CHASE_AFTER_MS = 20;
/** Searches that a thread begins in one go; the others wait for the next. */
export const CHASES_AT_ONCE = 256;
/** Waits of a ring that spans threads, and waits that a search follows from one thread: bounds its messages. */
export const CHASE_EDGES = 256;
/** Searches that a thread remembers having seen, so that each passes an actor once. */
export const CHASES_KEPT = 256;

/** More crashes than this within the period end an actor (or the system: `THREAD_RESTARTS`). */
export const RESTARTS = { count: 5, withinMs: 10_000 } as const;
/** Waits before the restarts of an actor: none that a user would notice at first, then time for what fails it to pass. */
export const BACKOFF = { firstMs: 10, mostMs: 5_000, jitter: 0.5 } as const;
export const THREAD_RESTARTS = { count: 5, withinMs: 60_000 } as const;

/** Children of one supervisor. */
export const CHILDREN = 4_096;
/** A child that is down waits this long for its siblings to stop and start; then it starts by itself. */
export const RESUME_MS = 3_600_000;

/** A thread that answers nothing for so long is frozen: long past any pause that is meant. */
export const FROZEN_MS = 15_000;
/** An actor that freezes its thread more often than this ends: each time costs the others of its thread the period. */
export const FREEZES = { count: 2, withinMs: 600_000 } as const;

/** Asking why an actor ended waits for as long as any process lives, ms; and so many reasons are kept for who asks late. */
export const LIFETIME_MS = 2 ** 40;
export const ENDS_KEPT = 1_024;

/** An actor's `start` may take this long, unless its spawn says otherwise. */
export const ACTOR_START_MS = 30_000;
/** An actor's `stop` may take this long; the actor is then gone whether it is done or not. */
export const ACTOR_STOP_MS = 10_000;

/** Actors of one thread. Untouched room on its board takes no memory. */
export const BOARD_ACTORS = 131_072;
/** Longest name of an actor in UTF-8 bytes; it lies in shared memory. */
export const NAME_BYTES = 64;
/** Message types, kinds and reasons of one thread, in bytes; a finite set, so a full table only loses names. */
export const NAMES_BYTES = 64 * 1024;
/** Error texts that a thread remembers, and bytes of each. */
export const LAST_ERRORS = 256;
export const ERROR_BYTES = 254;
/** Envelopes that a thread keeps for its next messages: as many as one mailbox holds, 100 KiB. */
export const ENVELOPES_KEPT = 1_024;
/** One handler call in this many is timed. */
export const SAMPLE_EVERY = 64;

/** Queued messages that one `peek` lists, characters of a preview, and values looked at to size a message. */
export const PEEK_MESSAGES = 100;
export const PEEK_PREVIEW = 120;
export const PEEK_VALUES = 1_000;

/** A trace of messages: a minute of what a person can read, unless told otherwise; and the most that does no harm. */
export const DEFAULT_TRACE = { ms: 60_000, aSecond: 200 } as const;
export const MOST_TRACE = { ms: 600_000, aSecond: 1_000 } as const;
/** Traces at one time, each looked at by a person. */
export const TRACES = 8;
/** Threads hand over what they have traced this often: a batch costs one message, and nobody reads faster. */
export const TRACE_BATCH_MS = 100;

/** Probes that a thread sends to the main thread in a second; the rest are counted. */
export const PROBES_A_SECOND = 1_000;

/** A thread has this long to start, to obey the main thread, to stop its actors, and then to be gone. */
export const THREAD_START_MS = 30_000;
export const THREAD_CONTROL_MS = 10_000;
export const THREAD_STOP_MS = 20_000;
export const THREAD_EXIT_MS = 2_000;
/** The actors of a lost thread are back within this, their own start times included. */
export const RESPAWN_MS = 3_600_000;
