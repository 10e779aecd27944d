import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAILBOX_BOUND } from '../../src/runtime/defaults.js';
import { boundOf, Mailbox } from '../../src/runtime/mailbox.js';
import { Band, Envelope, queueBand } from '../../src/runtime/message.js';

const envelope = (band: Band, at = 0): Envelope => new Envelope(2, band, 0, 'm', { type: 'm' }, at);
const bands = fc.constantFrom<Band>(Band.system, Band.control, Band.user, Band.reserved);

/** The mailbox in its simplest form. */
class Model {
  readonly queues: [Envelope[], Envelope[], Envelope[]] = [[], [], []];

  push(one: Envelope): boolean {
    const queue = this.queues[queueBand(one.band)];
    const counted = queue.filter(({ band }) => band === one.band).length;
    if (one.band !== Band.reserved && counted >= boundOf(one.band)) return false;
    queue.push(one);
    return true;
  }

  shift(urgentOnly: boolean): Envelope | undefined {
    const [system, control, user] = this.queues;
    return system.shift() ?? control.shift() ?? (urgentOnly ? undefined : user.shift());
  }
}

/** The very same envelopes: they are linked to one another, and a deep comparison would follow the links. */
function expectSame(these: readonly Envelope[], those: readonly Envelope[]): void {
  expect(these.length).toBe(those.length);
  expect(these.every((one, i) => one === those[i])).toBe(true);
}

describe('R2 a mailbox', () => {
  test('R2 does what three lists with bounds do, whatever comes', () => {
    const steps = fc.oneof(
      { weight: 5, arbitrary: fc.record({ push: bands, times: fc.constantFrom(1, 2, 900) }) },
      { weight: 3, arbitrary: fc.record({ urgentOnly: fc.boolean(), times: fc.constantFrom(1, 2, 200) }) },
      { weight: 1, arbitrary: fc.constant('drain' as const) },
    );
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (all) => {
        const mailbox = new Mailbox();
        let model = new Model();
        for (const step of all) {
          if (step === 'drain') {
            expectSame(mailbox.drain(), model.queues.flat());
            model = new Model();
          } else {
            for (let i = 0; i < step.times; i++) {
              if ('push' in step) {
                const one = envelope(step.push, i);
                if (mailbox.push(one) !== model.push(one)) throw new Error('one took what the other refused');
              } else if (mailbox.shift(step.urgentOnly) !== model.shift(step.urgentOnly)) {
                throw new Error('one gave what the other did not');
              }
            }
          }
          const depths = model.queues.map(({ length }) => length);
          expect([mailbox.depth(0), mailbox.depth(1), mailbox.depth(2)]).toEqual(depths);
          const [system, control, user] = depths as [number, number, number];
          expect(mailbox.hasWork(true)).toBe(system + control > 0);
          expect(mailbox.hasWork(false)).toBe(system + control + user > 0);
          expect(mailbox.oldestUserAt).toBe(model.queues[2][0]?.at);
        }
        expectSame([...mailbox], model.queues.flat());
      }),
      { numRuns: 200 },
    );
  });

  test('R2 reserved messages keep their place among control messages', () => {
    const mailbox = new Mailbox();
    const sent = [Band.control, Band.reserved, Band.control, Band.reserved].map((band) => envelope(band));
    for (const one of sent) mailbox.push(one);
    expect(sent.map(() => mailbox.shift(true))).toEqual(sent);
  });

  test('R2 a full system band takes ended notices all the same: each watch brings one, and none may be lost', () => {
    const mailbox = new Mailbox();
    while (mailbox.push(envelope(Band.system)));
    const ended = new Envelope(2, Band.system, 0, 'ended', { type: 'ended' }, 0);
    expect([mailbox.push(ended), mailbox.depth(Band.system)]).toEqual([true, MAILBOX_BOUND.system + 1]);
  });

  test('R2 there is room again when the user band has fallen to half its bound', () => {
    const mailbox = new Mailbox();
    while (mailbox.push(envelope(Band.user)));
    const roomyAt: number[] = [];
    while (mailbox.shift(false)) if (mailbox.roomy) roomyAt.push(mailbox.depth(Band.user));
    expect(roomyAt[0]).toBe(MAILBOX_BOUND.user / 2);
  });
});
