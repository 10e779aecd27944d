import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/observer/protocol.js';
import { trace } from '../../src/observer/trace.js';
import type { Probe } from '../../src/runtime/probes.js';
import { observed, type PlantedSource, source, until } from './stage.js';

const emit = (to: PlantedSource, probe: Probe): void => {
  for (const listener of to.listeners) listener(probe);
};
const filter = { actor: undefined, event: undefined, forMs: 60_000, perSecond: 50 };

function listen(
  from: PlantedSource,
  given: Partial<Parameters<typeof trace>[1]> = {},
  takes = () => true,
  now?: () => number,
) {
  const seen: TraceEvent[] = [];
  const gone = new AbortController();
  const send = (event: TraceEvent): boolean => takes() && seen.push(event) > 0;
  const ended = trace(from, { ...filter, ...given }, { send, gone: gone.signal }, now);
  return { seen, end: () => gone.abort(), ended };
}

describe('R6 a trace', () => {
  it('R6 streams events of one name, of one actor', async () => {
    const from = source();
    const { seen, end, ended } = listen(from, { event: 'actor.crashed', actor: [7, 'mind/ada', 'ada'] });
    for (const probe of [
      { name: 'actor.crashed', actor: 'mind/ada' },
      { name: 'actor.crashed', actor: 'mind/bo' },
      { name: 'turn.waiting', mind: 'ada' },
      { name: 'actor.crashed', to: 7 },
    ]) {
      emit(from, probe);
    }
    end();
    expect(await ended).toEqual({ sent: 2, leftOut: 0 });
    expect(seen).toEqual([
      { name: 'actor.crashed', actor: 'mind/ada' },
      { name: 'actor.crashed', to: 7 },
    ]);
    expect(from.listeners.size).toBe(0);
  });

  it('R6 sends so many a second and counts the rest', async () => {
    const from = source();
    let now = 0;
    const { seen, end, ended } = listen(from, { perSecond: 5 }, undefined, () => now);
    for (let i = 0; i < 100; i++) emit(from, { name: 'x', i });
    now = 999;
    emit(from, { name: 'x', i: 100 });
    now = 1_000;
    emit(from, { name: 'x', i: 101 });
    end();
    expect(await ended).toEqual({ sent: 6, leftOut: 96 });
    expect(seen.map(({ i }) => i)).toEqual([0, 1, 2, 3, 4, 101]);
  });

  it('R6 leaves out what cannot be sent: too much, no JSON, or nobody reading', async () => {
    const from = source();
    let reads = true;
    const { end, ended } = listen(from, {}, () => reads);
    emit(from, { name: 'x', text: 'y'.repeat(5_000) });
    emit(from, { name: 'x', big: 1n });
    reads = false;
    emit(from, { name: 'x' });
    reads = true;
    emit(from, { name: 'x' });
    end();
    expect(await ended).toEqual({ sent: 1, leftOut: 3 });
  });

  it('R6 expires by itself', async () => {
    const from = source();
    const { ended } = listen(from, { forMs: 30 });
    expect(await ended).toEqual({ sent: 0, leftOut: 0 });
    expect(from.listeners.size).toBe(0);
  });

  it('R6 reaches the observer, and ends with it', async () => {
    const from = source();
    using at = await observed(from);
    const client = await at.attach();
    const seen: TraceEvent[] = [];
    const asked = client.ask({ type: 'trace', ...filter, actor: 'ada', forMs: 400 }, (event) =>
      seen.push(event),
    );
    await until(() => from.listeners.size === 1, 'a listener');
    emit(from, { name: 'turn.waiting', mind: 'ada', reason: 'lane' });
    emit(from, { name: 'turn.waiting', mind: 'bo', reason: 'lane' });
    expect(await asked).toEqual({ sent: 1, leftOut: 0 });
    expect(seen).toEqual([{ name: 'turn.waiting', mind: 'ada', reason: 'lane' }]);
    const other = await at.attach();
    other.ask({ type: 'trace', ...filter }).catch(() => {});
    await until(() => from.listeners.size === 1, 'a listener');
    other.close();
    await until(() => from.listeners.size === 0, 'the end of the trace');
  });
});
