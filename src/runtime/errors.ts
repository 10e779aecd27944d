/**
 * Typed errors: what an error is here, how it crosses a thread, and the runtime's own.
 *
 * Every error has a `code` (its class name) and a `detail` of plain data that says with numbers and names what
 * went wrong. A thread border loses classes, so errors travel as an envelope and are rebuilt from a registry of
 * classes on the other side. Errors of the layers above are declared in `src/errors.ts`.
 */

export type Detail = Record<string, unknown>;

/** The base of every error that this project throws on purpose. */
export class TroupeError<D extends Detail = Detail> extends Error {
  readonly code: string;
  readonly detail: D;

  constructor(code: string, message: string, detail: D, options?: ErrorOptions) {
    super(message, options);
    this.name = code;
    this.code = code;
    this.detail = detail;
  }
}

export interface ErrorClass<D extends Detail> {
  new (detail: D, options?: ErrorOptions): TroupeError<D>;
  readonly code: string;
}

const registry = new Map<string, ErrorClass<Detail>>();

/** Declares an error class: its code and the sentence that its detail becomes. Codes are unique in a process. */
export function defineError<D extends Detail>(code: string, say: (detail: D) => string): ErrorClass<D> {
  if (registry.has(code)) throw new Error(`error code ${code} is declared twice`);
  const declared = class extends TroupeError<D> {
    static readonly code = code;
    constructor(detail: D, options?: ErrorOptions) {
      super(code, say(detail), detail, options);
    }
  };
  Object.defineProperty(declared, 'name', { value: code });
  registry.set(code, declared as unknown as ErrorClass<Detail>);
  return declared;
}

/** All codes declared so far, for the test that every one of them survives a border. */
export const declaredErrors = (): ReadonlyMap<string, ErrorClass<Detail>> => registry;

/** An error as plain data, fit for a structured clone. */
export interface ErrorEnvelope {
  readonly code: string;
  readonly message: string;
  readonly detail: Detail;
  readonly stack: string | undefined;
}

/**
 * Errors that are not ours keep their class name, so that a TypeError stays recognisable, and their plain fields (`code`,
 * `path`, `syscall`). Never throws, whatever was thrown.
 */
export function toEnvelope(error: unknown): ErrorEnvelope {
  try {
    return envelopeOf(error);
  } catch {
    return { code: 'Error', message: 'an error that cannot be read', detail: {}, stack: undefined };
  }
}

function envelopeOf(error: unknown): ErrorEnvelope {
  if (error instanceof TroupeError) {
    const { code, message, detail, stack } = error;
    return { code, message, detail, stack: isText(stack) ? stack : undefined };
  }
  if (error instanceof Error) {
    const fields = Object.entries(error).filter(([, value]) => isText(value) || typeof value === 'number');
    const { name, message, stack } = error;
    return {
      code: isText(name) ? name : 'Error',
      message: isText(message) ? message : '',
      detail: Object.fromEntries(fields),
      stack: isText(stack) ? stack : undefined,
    };
  }
  return { code: 'Error', message: isText(error) ? error : show(error), detail: {}, stack: undefined };
}

export function fromEnvelope(envelope: ErrorEnvelope): TroupeError {
  const error = declaredError(envelope) ?? new TroupeError(envelope.code, envelope.message, envelope.detail);
  error.message = envelope.message;
  if (envelope.stack !== undefined) error.stack = envelope.stack;
  return error;
}

/** The same envelope, of text alone: for a detail that no thread border lets through. */
export function plainEnvelope(envelope: ErrorEnvelope): ErrorEnvelope {
  const { detail } = envelope;
  const shown = Object.keys(detail).map((key) => [key, attempt(() => show(detail[key]))] as const);
  return { ...envelope, detail: Object.fromEntries(shown) };
}

/** The error of a code, with the sentence of its class; of a code that is not known here, one that shows the detail. */
export const errorOf = (code: string, detail: Detail): TroupeError =>
  declaredError({ code, detail }) ?? new TroupeError(code, `${code} ${show(detail)}`, detail);

/** Undefined when the code is not known here, or its sentence cannot be said of this detail. */
function declaredError({ code, detail }: Pick<ErrorEnvelope, 'code' | 'detail'>): TroupeError | undefined {
  const declared = registry.get(code);
  return declared && attempt(() => new declared(detail));
}

/** Anything thrown, as one of ours: what is already typed stays as it is. */
export const asTroupeError = (error: unknown): TroupeError =>
  attempt(() => error instanceof TroupeError) ? (error as TroupeError) : fromEnvelope(toEnvelope(error));

export const BadArgument = defineError<{ argument: string; value: unknown; expected: string }>(
  'BadArgument',
  (d) => `${d.argument} is ${show(d.value)}; expected ${d.expected}`,
);

export const MailboxFull = defineError<{ actor: string; band: string; bound: number }>(
  'MailboxFull',
  (d) => `the ${d.band} band of ${d.actor} holds its bound of ${d.bound} messages`,
);

export const ActorEnded = defineError<{ actor: string; reason: string }>(
  'ActorEnded',
  (d) => `${d.actor} is not alive: ${d.reason}`,
);

export const ActorCrashed = defineError<{ actor: string; message: string; cause: string }>(
  'ActorCrashed',
  (d) => `${d.actor} crashed while it handled ${d.message}: ${d.cause}`,
);

export const SiblingCrashed = defineError<{ actor: string; sibling: string; cause: string }>(
  'SiblingCrashed',
  (d) => `${d.actor} is started again because its sibling ${d.sibling} crashed: ${d.cause}`,
);

export const Escalated = defineError<{ actor: string; reason: string }>(
  'Escalated',
  (d) => `${d.actor} gave up: ${d.reason}`,
);

export const AskTimeout = defineError<{ actor: string; message: string; waitedMs: number }>(
  'AskTimeout',
  (d) => `${d.actor} did not answer ${d.message} within ${d.waitedMs} ms`,
);

export const Aborted = defineError<{ what: string }>('Aborted', (d) => `${d.what} was aborted by its caller`);

/** `cycle`: who waits for the next one with which message, from the wait that was ended on; the last waits for the first. */
export const Deadlock = defineError<{ cycle: readonly { actor: string; message: string }[] }>(
  'Deadlock',
  ({ cycle }) => {
    const waits = cycle.map(({ actor, message }, i) => {
      const next = cycle.length === 1 ? 'itself' : cycle[(i + 1) % cycle.length]?.actor;
      return `${actor} ${i === 0 ? 'waits ' : ''}for ${next} (${message})`;
    });
    return `${waits.join(', ')}: a deadlock; the newest wait, that of ${cycle[0]?.actor}, was ended`;
  },
);

export const NameTaken = defineError<{ name: string }>(
  'NameTaken',
  (d) => `an actor named ${show(d.name)} exists already`,
);

export const ThreadLost = defineError<{ thread: string; reason: string }>(
  'ThreadLost',
  (d) => `the thread ${d.thread} ended: ${d.reason}`,
);

export const Unsendable = defineError<{ what: string; reason: string }>(
  'Unsendable',
  (d) => `${d.what} cannot be sent to another thread: ${d.reason}`,
);

export const ThreadFull = defineError<{ thread: string; actors: number }>(
  'ThreadFull',
  (d) => `the thread ${d.thread} holds its bound of ${d.actors} actors`,
);

export const TooManyTraces = defineError<{ traces: number }>(
  'TooManyTraces',
  (d) => `${d.traces} traces run already, and no more may; end one of them, or wait until one has ended`,
);

export const SystemStopped = defineError<{ what: string }>(
  'SystemStopped',
  (d) => `${d.what} ended because the system stopped`,
);

/** What is thrown, or lies in a detail, may answer any look at it with an error of its own. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) {
    try {
      const text = String(JSON.stringify(value));
      return text.length > 80 ? `${text.slice(0, 77)}...` : text;
    } catch {
      return 'an object';
    }
  }
  return String(value); // Also of a symbol, which no template takes.
}
