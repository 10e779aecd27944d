import { describe, expect, it } from 'vitest';
import { lined, widthsOf } from '../../src/cli/table.js';
import { drawTop, type TopState } from '../../src/cli/top-view.js';

const actor = (name: string, given: Partial<TopState['view']['actors'][number]> = {}) => ({
  ...{ name, thread: 'host-0', queued: '0', rate: '5', oldest: '', inHand: '', waitsFor: '', trouble: '' },
  ...given,
});
const state = (actors: TopState['view']['actors'], given: Partial<TopState> = {}): TopState => ({
  label: '4711',
  view: {
    threads: [{ name: 'host-0', state: 'up', actors: '3', queued: '1', rate: '1234' }],
    actors,
    more: 0,
    rate: 1_234,
  },
  stale: undefined,
  ...given,
});

describe('U2 the table of top', () => {
  it('U2 has threads and actors, and no column in which nothing stands', () => {
    expect(drawTop(state([actor('ada', { waitsFor: 'eve fetch 3.2 s' }), actor('eve')]), 24).lines).toEqual([
      'process 4711  1 thread  2 actors  1,234 messages/s',
      '',
      'thread  actors  queued  msg/s  state',
      'host-0  3       1       1234   up',
      '',
      'actor  thread  queued  msg/s  waits for',
      'ada    host-0  0       5      eve fetch 3.2 s',
      'eve    host-0  0       5',
    ]);
  });

  it('U2 a column that has had anything stays, as wide as it was', () => {
    const first = drawTop(state([actor('a-long-name', { inHand: 'fetch 12.3 s' })]), 24);
    const { lines } = drawTop(state([actor('ada')]), 24, first.widths);
    expect(lines.slice(-2)).toEqual([
      'actor        thread  queued  msg/s  in hand',
      'ada          host-0  0       5',
    ]);
  });

  it('U2 counts the actors that do not fit, those that were never sent too', () => {
    const many = state(Array.from({ length: 20 }, (_, i) => actor(`actor-${i}`)));
    const drawn = drawTop({ ...many, view: { ...many.view, more: 980 } }, 12).lines;
    expect([drawn.length, drawn.at(-1)]).toEqual([12, 'and 995 actors more']);
    expect(drawTop(many, Number.POSITIVE_INFINITY).lines.at(-1)).toMatch(/^actor-19/);
    expect(drawTop(many, 3).lines.length).toBe(3);
  });

  it('U2 says when the figures are old', () => {
    expect(drawTop(state([], { stale: 'process 4711 did not answer' }), 24).lines[0]).toMatch(
      /process 4711 did not answer$/,
    );
  });
});

describe('U2 columns', () => {
  it('U2 line up, the last one uncut', () => {
    const rows = [
      ['a', 'x'.repeat(40), 'the end'],
      ['\u4e16\u754c', '', 'y'.repeat(50)],
    ];
    expect(lined(rows)).toEqual([
      `a     ${'x'.repeat(31)}…  the end`,
      `\u4e16\u754c  ${' '.repeat(32)}  ${'y'.repeat(50)}`,
    ]);
  });

  it('U2 never become narrower', () => {
    expect(widthsOf([['ab', '']], [1, 3])).toEqual([2, 3]);
  });

  it('U2 let no control character through', () => {
    expect(lined([['\x1b[31mred\nline', 'x']])).toEqual(['[31mred line  x']);
  });
});
