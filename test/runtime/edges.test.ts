import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Edge, fromNewest, type Path, walk } from '../../src/runtime/edges.js';

/** Edges `[from, to]`, numbered and dated in their order. */
const edgesOf = (pairs: readonly (readonly [number, number])[]): Edge[] =>
  pairs.map(([from, to], i) => ({ from, to, ask: i, since: i, messageType: 'm' }));
const outOf = (edges: readonly Edge[]) => (actor: number) => edges.filter(({ from }) => from === actor);
const isHere = (): boolean => true;

const actor = fc.nat(7);
const graph = fc.array(fc.tuple(actor, actor), { maxLength: 16 });

/** Whether `to` can be reached from `from` by one edge or more: closed under composition, by brute force. */
function reaches(edges: readonly Edge[], from: number, to: number): boolean {
  const reached = new Set(edges.filter((edge) => edge.from === from).map((edge) => edge.to));
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const edge of edges) if (reached.has(edge.from)) reached.add(edge.to);
  }
  return reached.has(to);
}

const isWay = (path: Path, from: number, to: number): boolean =>
  path.length > 0 &&
  path[0]?.from === from &&
  path.at(-1)?.to === to &&
  path.every((edge, i) => i === 0 || edge.from === path[i - 1]?.to);

describe('R5 the walk along waits', () => {
  test('R5 finds a way exactly when there is one, and no actor twice on it', () => {
    fc.assert(
      fc.property(graph, actor, actor, (pairs, start, goal) => {
        const edges = edgesOf(pairs);
        const { found } = walk(start, goal, outOf(edges), isHere);
        expect(found !== undefined).toBe(reaches(edges, start, goal));
        if (found === undefined) return;
        expect(isWay(found, start, goal)).toBe(true);
        expect(found.every((edge) => edges.includes(edge))).toBe(true);
        expect(new Set(found.map((edge) => edge.to)).size).toBe(found.length);
      }),
    );
  });

  test('R5 leaves the thread by each wait that leads elsewhere', () => {
    fc.assert(
      fc.property(graph, actor, (pairs, start) => {
        const here = (id: number): boolean => id < 4;
        const edges = edgesOf(pairs);
        const inside = edges.filter(({ from }) => here(from));
        const { found, exits } = walk(start, 99, outOf(inside), here);
        expect(found).toBeUndefined();
        const local = inside.filter(({ to }) => here(to));
        const leaving = inside.filter(
          ({ from, to }) => !here(to) && (from === start || reaches(local, start, from)),
        );
        const asks = (edges: readonly (Edge | undefined)[]) => edges.map((edge) => edge?.ask).sort();
        expect(asks(exits.map((path) => path.at(-1)))).toEqual(asks(leaving));
        for (const path of exits) expect(isWay(path, start, path.at(-1)?.to as number)).toBe(true);
      }),
    );
  });

  test('R5 stops in a chain that is longer than it may go through', () => {
    let asked = 0;
    const out = (id: number): Edge[] => {
      asked++;
      return edgesOf([[id, id + 1]]);
    };
    expect(walk(0, -1, out, isHere)).toEqual({ found: undefined, exits: [] });
    expect(asked).toBe(1_024);
  });

  test('R5 the newest wait of a ring is the same from wherever it is seen', () => {
    const ring = fc
      .uniqueArray(fc.nat(100), { minLength: 1, maxLength: 8 })
      .chain((ids) =>
        fc.tuple(
          fc.constant(ids),
          fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: ids.length, maxLength: ids.length }),
          fc.nat(ids.length - 1),
        ),
      );
    fc.assert(
      fc.property(ring, ([ids, times, turn]) => {
        const edges = ids.map((from, i) => {
          const [since, ask] = times[i] as [number, number];
          return { from, to: ids[(i + 1) % ids.length] as number, ask, since, messageType: 'm' };
        });
        const first = fromNewest(edges);
        expect(fromNewest([...edges.slice(turn), ...edges.slice(0, turn)])).toEqual(first);
        expect(isWay(first, first[0]?.from as number, first[0]?.from as number)).toBe(true);
        expect(edges.every(({ since }) => since <= (first[0]?.since as number))).toBe(true);
      }),
    );
  });
});
