import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TracedEvent, TraceOptions } from '../../src/runtime/trace-protocol.js';
import { eventually, failure, HOST_A, HOST_B, MAIN, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

function listen(options: TraceOptions) {
  const seen: TracedEvent[] = [];
  const given = { seen, leftOut: 0, over: false, stop: () => {} };
  given.stop = stage.system.trace(options, {
    seen: (events, leftOut) => {
      seen.push(...events);
      given.leftOut += leftOut;
    },
    over: () => {
      given.over = true;
    },
  });
  return given;
}

/** A thread that has answered has heard of the trace before. */
const heard = (id: number) => stage.ask(id, { type: 'echo', value: 'heard' });

describe('R6 a trace of messages', () => {
  it('R6 shows what becomes of a message, on every thread, and with what', async () => {
    const puppet = await stage.spawn(HOST_A);
    const trace = listen({ actor: puppet, preview: true });
    await heard(puppet);
    await stage.ask(puppet, { type: 'echo', value: 'a secret' });
    const of = () => trace.seen.filter(({ preview }) => preview?.includes('<8 characters>'));
    await eventually(() => of().length === 3);
    expect(of().map(({ event }) => event)).toEqual(['queued', 'taken', 'done']);
    expect(of()[2]).toMatchObject({ actor: puppet, type: 'echo', band: 'user', ms: expect.any(Number) });
    expect(JSON.stringify(trace.seen)).not.toContain('a secret');
    trace.stop();
  });

  it('R6 shows a crash with its reason, and a letter that reaches nobody', async () => {
    const puppet = await stage.spawn(HOST_B);
    const trace = listen({ actor: puppet });
    await failure(stage.ask(puppet, { type: 'crash', why: 'told to' }));
    await stage.system.stopActor(puppet, 'it is over');
    stage.system.tell(puppet, { type: 'late' });
    await eventually(() => trace.seen.some(({ event }) => event === 'dead'));
    expect(trace.seen).toContainEqual(
      expect.objectContaining({ event: 'failed', type: 'crash', reason: expect.stringContaining('told to') }),
    );
    expect(trace.seen.find(({ event }) => event === 'dead')).toMatchObject({ actor: puppet, type: 'late' });
    trace.stop();
  });

  it('R6 takes messages of one type, without contents unless asked', async () => {
    const puppet = await stage.spawn(HOST_A);
    const trace = listen({ type: 'note' });
    await heard(puppet);
    await stage.ask(puppet, { type: 'note', value: 1 });
    await eventually(() => trace.seen.length === 3);
    expect(new Set(trace.seen.map(({ type }) => type))).toEqual(new Set(['note']));
    expect(trace.seen[0]).not.toHaveProperty('preview');
    expect(trace.seen[0]).not.toHaveProperty('sizeBytes');
    trace.stop();
  });

  it('R6 shows so many a second and counts the rest', async () => {
    const puppet = await stage.spawn(HOST_A);
    const trace = listen({ type: 'note', aSecond: 5 });
    await heard(puppet);
    for (let i = 0; i < 200; i++) stage.system.tell(puppet, { type: 'note', value: i });
    await heard(puppet);
    await eventually(() => trace.seen.length + trace.leftOut === 600);
    expect(trace.seen.length).toBeLessThanOrEqual(10);
    trace.stop();
  });

  it('R6 ends by itself, and leaves no thread with a tracer', async () => {
    const trace = listen({ ms: 100 });
    await eventually(() => stage.system.main.tracer);
    await eventually(() => trace.over);
    await eventually(() => stage.system.main.tracer === undefined);
    const puppet = await stage.spawn(MAIN);
    await heard(puppet);
    expect(trace.seen.some(({ actor }) => actor === puppet)).toBe(false);
  });

  it('R6 is stopped by the one who asked for it', async () => {
    const puppet = await stage.spawn(MAIN);
    const trace = listen({});
    trace.stop();
    expect(trace.over).toBe(true);
    await heard(puppet);
    await eventually(() => stage.system.main.tracer === undefined);
    expect(trace.seen).toEqual([]);
  });

  it('R6 goes on with a thread that is started again', async () => {
    const puppet = await stage.spawn(HOST_B);
    const trace = listen({ actor: puppet, type: 'echo' });
    await stage.system.terminateThread(HOST_B);
    await eventually(() =>
      heard(puppet).then(
        () => trace.seen.length > 0,
        () => false,
      ),
    );
    trace.stop();
  });

  it('R6 refuses what is too long, too much, or one more than may be', () => {
    expect(() => listen({ ms: 600_001 })).toThrow('ms is 600001; expected 1 to 600000');
    expect(() => listen({ aSecond: 0 })).toThrow('aSecond is 0; expected 1 to 1000');
    const all = Array.from({ length: 8 }, () => listen({}));
    expect(() => listen({})).toThrow('8 traces run already');
    for (const trace of all) trace.stop();
    listen({}).stop();
  });
});
