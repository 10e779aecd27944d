/** Whose cells lanes hold, held against a model in which each cell is a thing of its own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Origins } from '../../../src/actors/engine/origins.js';
import { countCells, cutTo, type Stretches } from '../../../src/actors/engine/stretches.js';

const LANES = 4;
const MOST = 40;

class Model {
  readonly lanes = Array.from({ length: LANES }, (_, number) => ({ number, held: 0 }));
  readonly origins = new Origins(this.lanes);
  readonly cells: object[][] = this.lanes.map(() => []);

  grow(lane: number, by: number): void {
    const cells = this.#of(lane);
    for (let i = 0; i < by && cells.length < MOST; i++) cells.push({});
    this.#hold(lane);
  }

  cut(lane: number, to: number): void {
    const cells = this.#of(lane);
    if (to > cells.length) return;
    this.origins.cut(this.#lane(lane), to);
    cells.length = to;
    this.#hold(lane);
  }

  clear(lane: number): void {
    this.origins.clear(this.#lane(lane));
    this.#of(lane).length = 0;
    this.#hold(lane);
  }

  share(from: number, to: number, count: number): void {
    const source = this.#of(from);
    if (from === to || count > source.length) return;
    this.clear(to);
    this.origins.share(this.#lane(from), this.#lane(to), count);
    this.#of(to).push(...source.slice(0, count));
    this.#hold(to);
  }

  stretches(): Stretches[] {
    return this.lanes.map((lane) => this.origins.of(lane));
  }

  #of = (lane: number): object[] => this.cells[lane] as object[];
  #lane = (lane: number) => this.lanes[lane] as { number: number; held: number };

  #hold(lane: number): void {
    this.#lane(lane).held = this.#of(lane).length;
  }
}

/** The cells that stretches name. */
const named = (stretches: Stretches): string[] => {
  const cells: string[] = [];
  for (const { origin, to } of stretches) while (cells.length < to) cells.push(`${origin}:${cells.length}`);
  return cells;
};

const lane = fc.nat(LANES - 1);
const count = fc.nat(MOST);
const change = fc.oneof(
  fc.tuple(fc.constant('grow' as const), lane, count),
  fc.tuple(fc.constant('cut' as const), lane, count),
  fc.tuple(fc.constant('clear' as const), lane),
  fc.tuple(fc.constant('share' as const), lane, lane, fc.integer({ min: 1, max: MOST })),
);

function play(changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[]): Model {
  const model = new Model();
  for (const each of changes) {
    if (each[0] === 'clear') model.clear(each[1]);
    else if (each[0] === 'share') model.share(each[1], each[2], each[3]);
    else model[each[0]](each[1], each[2]);
  }
  return model;
}

describe('whose cells lanes hold', () => {
  it('B1 two cells have one name if and only if they are the same, whatever lanes did', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const model = play(changes);
        const names = new Map<string, object>();
        const all = new Set<object>();
        for (const [i, stretches] of model.stretches().entries()) {
          const cells = model.cells[i] as object[];
          expect(named(stretches).length).toBe(cells.length);
          for (const [at, name] of named(stretches).entries()) {
            const cell = cells[at] as object;
            expect(names.get(name) ?? cell).toBe(cell);
            names.set(name, cell);
            all.add(cell);
          }
        }
        expect(names.size).toBe(all.size);
        const holdings = model.stretches().map((stretches, i) => ({
          ...{ stretches, cells: (model.cells[i] as object[]).length },
        }));
        expect(countCells(holdings)).toBe(all.size);
        for (const { number } of model.lanes) {
          const others = model.cells.filter((_, i) => i !== number).flat();
          expect(model.origins.countBeside(number)).toBe(new Set(others).size);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('B1 are told of a lane if and only if another one holds some of them', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const model = play(changes);
        for (const lane of model.lanes) {
          const others = new Set(model.cells.filter((_, i) => i !== lane.number).flat());
          const isShared = (model.cells[lane.number] as object[]).some((cell) => others.has(cell));
          expect(model.origins.sharedOf(lane)).toEqual(isShared ? model.origins.of(lane) : []);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('B1 a lane that is alone goes on under one name, however often it is cut', () => {
    const model = new Model();
    for (let turn = 1; turn <= 10; turn++) {
      model.grow(0, 3);
      model.cut(0, 2 * turn);
    }
    expect(model.stretches()[0]).toHaveLength(1);
  });
});

describe('stretches that are cut', () => {
  const stretches = [
    { origin: 7, to: 10 },
    { origin: 9, to: 25 },
  ];
  it.each([
    [0, []],
    [10, [{ origin: 7, to: 10 }]],
    [11, [stretches[0], { origin: 9, to: 11 }]],
    [25, stretches],
    [30, stretches],
  ])('B1 to %d', (to, cut) => expect(cutTo(stretches, to)).toEqual(cut));
});
