import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActorId } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { Lab } from './lab.js';
import { HOST_A, HOST_B, Stage } from './stage.js';

type Sent = { from: number; to: number; band: Band };

const sends = (actors: number) =>
  fc.array(
    fc.record({
      from: fc.nat(actors - 1),
      to: fc.nat(actors - 1),
      band: fc.constantFrom<Band>(Band.control, Band.user, Band.reserved),
    }),
    { minLength: 1, maxLength: 300 },
  );

/** Of each pair and band the numbers arrive in the order in which they were sent, none missing and none twice. */
function expectInOrder(sent: readonly Sent[], heard: readonly (readonly (Sent & { n: number })[])[]): void {
  const lane = ({ from, to, band }: Sent): string =>
    `${from}>${to} ${band === Band.reserved ? Band.control : band}`;
  const byLane = (all: readonly (Sent & { n: number })[]): Record<string, number[]> => {
    const lanes: Record<string, number[]> = {};
    for (const one of all) {
      const mine = lanes[lane(one)] ?? [];
      lanes[lane(one)] = mine;
      mine.push(one.n);
    }
    return lanes;
  };
  expect(byLane(heard.flat())).toEqual(byLane(sent.map((one, n) => ({ ...one, n }))));
  expect(heard.flat()).toHaveLength(sent.length);
}

describe('R2 order in one thread and across threads, deliveries interleaved at will', () => {
  test('R2 first in, first out for each pair and band', async () => {
    const lab = await Lab.open(4);
    await fc.assert(
      fc.asyncProperty(sends(6), fc.infiniteStream(fc.nat(4)), async (sent, pauses) => {
        const heard: (Sent & { n: number })[][] = [];
        const ids: ActorId[] = [];
        for (let i = 0; i < 6; i++) {
          const mine: (Sent & { n: number })[] = [];
          heard.push(mine);
          const hear = (message: { sent: Sent & { n: number } }): void => void mine.push(message.sent);
          // Some handlers await, so that user messages queue up behind them.
          const receive = i % 2 === 0 ? hear : async (message: never) => hear(await message);
          ids.push(await lab.spawn(i % 3 === 0 ? 0 : (i % 3) + 1, { receive, control: hear }));
        }
        for (const [n, { from, to, band }] of sent.entries()) {
          const home = lab.thread(from % 3 === 0 ? 0 : (from % 3) + 1);
          home.router.tell(ids[from]!, ids[to]!, { type: 'n', sent: { from, to, band, n } }, band);
          if (pauses.next().value === 0) await new Promise((resolve) => setImmediate(resolve));
          if (pauses.next().value === 0) for (const port of lab.ports) port.deliver();
        }
        await lab.run();
        expectInOrder(sent, heard);
      }),
      { numRuns: 60 },
    );
  });
});

describe('R2 order on real threads under load', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  test('R2 first in, first out for each pair and band, from several senders at once', async () => {
    await fc.assert(
      fc.asyncProperty(sends(4), async (sent) => {
        const ids = await Promise.all(
          [HOST_A, HOST_A, HOST_B, HOST_B].map((thread) => stage.spawn(thread, {})),
        );
        // Every sender gets its orders in one go and works them off while the others do the same.
        await Promise.all(
          ids.map((id, from) =>
            Promise.all(
              sent.flatMap((one, n) =>
                one.from === from
                  ? [
                      stage.ask(id, {
                        type: 'tell',
                        to: ids[one.to],
                        message: { type: 'note', value: { ...one, n } },
                        options: { band: one.band },
                      }),
                    ]
                  : [],
              ),
            ),
          ),
        );
        // One after the other: two that ask each other at once would wait for each other.
        for (const id of ids) for (const other of ids) if (other !== id) await stage.ask(id, relay(other));
        const heard = await Promise.all(ids.map((id) => stage.notes(id)));
        expectInOrder(sent, heard as (Sent & { n: number })[][]);
        await Promise.all(ids.map((id) => stage.system.stopActor(id, 'done')));
      }),
      { numRuns: 15 },
    );
  });

  /** An echo from one puppet to another: behind everything the one has sent the other. */
  const relay = (to: ActorId) => ({ type: 'forward', to, message: { type: 'echo' } });

  test('R2 a long burst across threads arrives whole and in order', async () => {
    const [from, to] = await Promise.all([stage.spawn(HOST_A), stage.spawn(HOST_B)]);
    for (let i = 0; i < 5; i++) {
      await stage.ask(from, { type: 'flood', to, count: 1_000 });
      await stage.ask(from, relay(to));
    }
    const notes = (await stage.notes(to)) as number[];
    const runs = Array.from({ length: 5 }, () => Array.from({ length: 1_000 }, (_, i) => i)).flat();
    expect(notes.filter((note) => typeof note === 'number')).toEqual(runs);
  });
});
