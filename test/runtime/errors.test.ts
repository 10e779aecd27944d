import { describe, expect, test } from 'vitest';
import {
  asTroupeError,
  BadArgument,
  declaredErrors,
  defineError,
  errorOf,
  fromEnvelope,
  MailboxFull,
  plainEnvelope,
  TroupeError,
  toEnvelope,
} from '../../src/runtime/errors.js';

/** There and back, as between threads. */
const cross = (error: unknown): TroupeError => fromEnvelope(structuredClone(toEnvelope(error)));

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const hostile = (): Error =>
  Object.defineProperty(new Error('m'), 'field', {
    enumerable: true,
    get() {
      throw new Error('not to be read');
    },
  });

describe('an error of a code', () => {
  test('says the sentence of its class', () => {
    const detail = { actor: 'ada', band: 'user', bound: 3 };
    expect(errorOf('MailboxFull', detail)).toBeInstanceOf(MailboxFull);
    expect(errorOf('MailboxFull', detail).message).toBe(new MailboxFull(detail).message);
  });

  test('that is not declared shows its detail', () => {
    expect(errorOf('Unheard', { of: 1 })).toMatchObject({ code: 'Unheard', message: 'Unheard {"of":1}' });
  });
});

describe('the error envelope', () => {
  test('keeps class, code, message, detail and stack', () => {
    const error = new MailboxFull({ actor: 'ada', band: 'user', bound: 3 });
    const back = cross(error);
    expect(back).toBeInstanceOf(MailboxFull);
    expect(back).toBeInstanceOf(TroupeError);
    expect({ ...back }).toEqual({ ...error });
    expect([back.message, back.stack, back.name]).toEqual([error.message, error.stack, 'MailboxFull']);
  });

  test('an error that is not ours keeps its name, and its plain fields', () => {
    class OddError extends RangeError {
      override name = 'OddError';
      fields = { deep: 1 };
    }
    expect(cross(new OddError('no'))).toMatchObject({ code: 'OddError', name: 'OddError', message: 'no' });
    const missing = Object.assign(new Error('gone'), {
      code: 'ENOENT',
      errno: -2,
      path: '/x',
      extra: () => {},
    });
    expect(cross(missing)).toMatchObject({
      code: 'Error',
      detail: { code: 'ENOENT', errno: -2, path: '/x' },
    });
    expect(Object.keys(cross(missing).detail)).toEqual(['code', 'errno', 'path']);
  });

  test.each([
    ['a text', 'just text', 'just text'],
    ['nothing', undefined, 'undefined'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    [
      'an object that cannot be shown',
      Object.create(null, {
        toJSON: {
          value: () => {
            throw new Error();
          },
        },
      }),
      'an object',
    ],
    ['an error with a field that throws', hostile(), 'an error that cannot be read'],
    ['what answers no look at it', revoked(), 'an error that cannot be read'],
    ['an error whose name is no text', Object.assign(new Error('m'), { name: 5 }), 'm'],
  ])('whatever is thrown becomes an error: %s', (_, thrown, message) => {
    expect(cross(thrown)).toMatchObject({ code: 'Error', message });
    expect(asTroupeError(thrown)).toMatchObject({ code: 'Error', message });
  });

  test('a code that is not known here stays readable', () => {
    const envelope = { code: 'FromElsewhere', message: 'said there', detail: { n: 1 }, stack: undefined };
    expect(fromEnvelope(envelope)).toMatchObject(
      envelope.stack === undefined ? { ...envelope, stack: expect.anything() } : {},
    );
  });

  test('a detail that its class cannot put into words does no harm, and the message is the one said there', () => {
    const Picky = defineError<{ list: string[] }>('Picky', (d) => d.list.join());
    const back = fromEnvelope({ code: 'Picky', message: 'said there', detail: {}, stack: undefined });
    expect([back.code, back.message, back instanceof Picky]).toEqual(['Picky', 'said there', false]);
    const shown = fromEnvelope({ code: 'BadArgument', message: 'said there', detail: {}, stack: undefined });
    expect([shown.message, shown instanceof BadArgument]).toEqual(['said there', true]);
  });

  test('a detail that no thread border lets through is put into words', () => {
    const error = new BadArgument({ argument: 'f', value: () => {}, expected: 'no function' });
    expect(() => structuredClone(toEnvelope(error))).toThrow();
    const back = fromEnvelope(structuredClone(plainEnvelope(toEnvelope(error))));
    expect(back).toBeInstanceOf(BadArgument);
    expect([back.message, back.detail]).toEqual([
      error.message,
      { argument: '"f"', value: 'a function', expected: '"no function"' },
    ]);
  });

  test('neither a stack of objects nor a detail that throws keeps an error from being put into words', () => {
    const error = new BadArgument({ argument: 'f', value: hostile(), expected: 'no function' });
    Object.defineProperty(error, 'stack', { value: [() => {}] });
    Object.defineProperty(error.detail, 'more', { enumerable: true, get: () => hostile() });
    const envelope = plainEnvelope(toEnvelope(error));
    expect(fromEnvelope(structuredClone(envelope)).message).toBe(error.message);
  });

  test('what is typed already stays the very same', () => {
    const error = new MailboxFull({ actor: 'ada', band: 'user', bound: 3 });
    expect(asTroupeError(error)).toBe(error);
  });

  test('a code is declared once', () => {
    expect(declaredErrors().has('MailboxFull')).toBe(true);
    expect(() => defineError('MailboxFull', () => '')).toThrow('declared twice');
  });
});
