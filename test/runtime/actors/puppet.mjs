/** An actor that does what it is told: answers, crashes, waits, floods, watches. */
import { AsyncResource } from 'node:async_hooks';
import { refuse } from '../../../dist/runtime/actor.js';

/** For what is to happen outside of every actor. */
const outside = new AsyncResource('outside');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** Throws nothing at all at whoever clones or reads it. */
const hostile = Object.defineProperty({}, 'value', {
  enumerable: true,
  get() {
    throw undefined;
  },
});
const never = new Promise(() => {});

/** Not before the flag is set, if there is one. */
async function rejectLater(until) {
  do await sleep(1);
  while (until !== undefined && Atomics.load(until, 0) === 0);
  throw new Error('after an await');
}

export default {
  kind: 'puppet',
  async start(ctx, args, saved) {
    if (args?.startMs) await sleep(args.startMs);
    if (args?.neverStarts) await never;
    if (saved.get('freezes')) for (;;);
    if (args?.failsToStart) throw new RangeError(args.failsToStart);
    if (args?.crashesAgain && saved.get('crashes') >= args.crashesAgain)
      throw new Error('cannot start again');
    // The first start after its thread was lost.
    if (args?.failsBack && ctx.incarnation > 0 && ctx.incarnation % 2 ** 16 === 0) throw new Error('not yet');
    if (args?.endsAtStart) ctx.stop();
    const notes = [];
    let owed;
    let release;
    let held;
    const hold = () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    };
    hold();

    function receive(message) {
      switch (message.type) {
        case 'echo':
          return message.value;
        case 'note':
          notes.push(message.value);
          return undefined;
        case 'notes':
          return notes;
        case 'saved':
          return Object.fromEntries(saved);
        case 'save':
          for (const [key, value] of Object.entries(message.changes)) ctx.save(key, value);
          if (message.thenCrash) throw new Error('after save');
          return 'saved';
        case 'save-late':
          ctx.save('early', message.value);
          hold();
          return held.then(() => {
            ctx.save('late', message.value);
            if (message.thenCrash) throw new Error('after a late save');
          });
        case 'save-and-mutate': {
          const value = { list: [1] };
          ctx.save('mutated', value);
          value.list.push(2);
          return 'saved';
        }
        case 'save-function':
          ctx.save('before', 1);
          ctx.save('bad', () => {});
          return 'saved';
        case 'incarnation':
          return ctx.incarnation;
        case 'crash':
          throw Object.assign(new Error(message.why ?? 'told to'), message.fields);
        case 'crash-thread':
          outside.runInAsyncScope(setTimeout, undefined, () => {
            throw new Error('outside of every handler');
          });
          return undefined;
        case 'throw-later':
          setTimeout(() => {
            throw new Error('in a callback');
          });
          return undefined;
        case 'reject-after-an-await':
          void rejectLater(message.until);
          return undefined;
        case 'refuse':
          return refuse(new TypeError('no'));
        case 'sleep':
          return sleep(message.ms).then(() => 'slept');
        case 'spin': {
          const end = performance.now() + (message.ms ?? 60_000);
          const isOver = () => message.until !== undefined && Atomics.load(message.until, 0) !== 0;
          while (performance.now() < end && !isOver());
          return 'spun';
        }
        case 'hold':
          return held.then(() => {
            notes.push('let go');
            return 'held';
          });
        case 'later':
          owed = ctx.replyLater();
          if (message.atOnce) {
            owed.resolve('at once');
            owed.resolve('again');
            owed.reject(new Error('again'));
          }
          return 'not this';
        case 'pay':
          owed.resolve(message.value);
          return undefined;
        case 'flood': {
          let accepted = 0;
          for (let i = 0; i < message.count; i++) {
            if (ctx.tell(message.to, { type: 'note', value: i }, { band: message.band ?? 2 })) accepted++;
          }
          return accepted;
        }
        case 'tell':
          return ctx.tell(message.to, message.message, message.options);
        case 'tell-function':
          ctx.tell(message.to, { type: 'note', value: 'before' });
          ctx.tell(message.to, { type: 'note', value: () => {} });
          ctx.tell(message.to, { type: 'note', value: 'after' });
          return undefined;
        case 'forward':
          return ctx.ask(message.to, message.message, message.options);
        case 'try':
          return ctx.ask(message.to, message.message).catch((error) => error.code);
        case 'forward-function':
          return ctx.ask(message.to, { type: 'echo', value: () => {} });
        case 'forget-an-ask':
          void ctx.ask(message.to, { type: 'later' }, { deadlineMs: message.deadlineMs });
          return undefined;
        case 'many-asks':
          return Promise.allSettled(
            Array.from({ length: message.count }, () => ctx.ask(message.to, { type: 'hold' })),
          ).then((all) => all.filter(({ status }) => status === 'rejected').length);
        case 'watch':
          ctx.watch(message.id);
          return undefined;
        case 'unwatch':
          ctx.unwatch(message.id);
          return undefined;
        case 'wait':
          ctx.wait({ for: message.for, reason: message.reason, deadlineMs: message.deadlineMs });
          return undefined;
        case 'after':
          ctx.after(message.ms, { type: 'note', value: message.value });
          return undefined;
        case 'reject-unheard':
          void Promise.reject(new Error('nobody hears this'));
          return undefined;
        case 'function':
          return () => {};
        case 'hostile':
          return hostile;
        case 'throw-hostile':
          throw Object.defineProperty(new Error(), 'field', { enumerable: true, get: () => hostile.value });
        case 'tell-hostile':
          return ctx.tell(message.to, { type: 'note', hostile });
        case 'probe':
          for (let i = 0; i < message.count; i++) ctx.probe({ name: 'puppet', i });
          return undefined;
        case 'keep-thread':
          setInterval(() => {}, 1_000);
          return undefined;
        case 'busy':
          ctx.tell(ctx.self, { type: 'busy' });
          return undefined;
        case 'stop':
          ctx.stop();
          return 'last words';
        default:
          return undefined;
      }
    }

    return {
      receive,
      control(message) {
        switch (message.type) {
          case 'peekin':
            return { notes: [...notes] };
          case 'note':
            notes.push(message.value);
            return undefined;
          case 'let-go':
            release();
            return undefined;
          case 'async':
            return Promise.resolve(1);
          case 'save':
            ctx.save(message.key, message.value);
            return undefined;
          case 'crash':
            throw new Error('in control');
          case 'later':
            owed = ctx.replyLater();
            return undefined;
          default:
            return message.value;
        }
      },
      notice(notice) {
        notes.push(notice);
      },
      passivate() {
        if (args?.straysAtPassivate) void Promise.reject(new Error('stray at passivate'));
        return undefined;
      },
      stop(reason) {
        if (args?.straysAtStop) void Promise.reject(new Error('stray at stop'));
        if (args?.stopMs) return sleep(args.stopMs);
        if (args?.neverStops) return never;
        if (args?.failsToStop) throw new Error(`cannot stop: ${reason}`);
        return undefined;
      },
    };
  },
};
