/**
 * What the broker counts, held against what lanes really hold, while words are on their way: the engine's half is its own
 * book of cells over a context in which each cell is a thing of its own.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cellsOf } from '../../../src/actors/broker/lane-cells.js';
import { LaneTable } from '../../../src/actors/broker/lane-table.js';
import { choose } from '../../../src/actors/broker/queue.js';
import { openAccount } from '../../../src/actors/broker/work.js';
import type { Checkpoints } from '../../../src/actors/engine/checkpoints.js';
import { Kv } from '../../../src/actors/engine/kv.js';
import { emptyLane, type Lane, type RunOnLane } from '../../../src/actors/engine/lane.js';
import type { Stretches } from '../../../src/actors/engine/stretches.js';
import type { NativeContext } from '../../../src/native/addon.js';
import { NONE_KEPT } from '../budgets.js';

const LANES = 4;
const CELLS = 60;
const ACTIVITIES = 6;

interface Granted {
  readonly grant: number;
  readonly lane: number;
  readonly activity: string;
  readonly cells: number;
  /** So many of the lane's cells are taken to be others' too. */
  readonly sharing: number;
  /** It counts on so many vacated lanes. */
  readonly vacated: number;
}
interface Vacated {
  readonly lane: number;
  readonly activity: string | undefined;
}
type Word =
  | { readonly type: 'shared'; readonly lane: number; readonly grant: number; readonly stretches: Stretches }
  | { readonly type: 'shrank'; readonly lane: number; readonly activity: string; readonly held: number }
  | ({ readonly type: 'ran'; readonly lane: number } & Pick<Lane, 'activity' | 'held'> & {
        readonly stretches: Stretches;
      });

class World {
  readonly table = new LaneTable();
  readonly lanes: Lane[] = Array.from({ length: LANES }, (_, number) => emptyLane(number));
  readonly cells: object[][] = this.lanes.map(() => []);
  /** On their way. */
  readonly toEngine: Vacated[] = [];
  readonly runs: Granted[] = [];
  readonly toBroker: Word[] = [];
  readonly #granted = new Map<number, Granted>();
  readonly #kv: Kv;
  #grants = 0;
  #told = 0;
  #heard = 0;
  #now = 0;

  constructor() {
    this.table.open(LANES);
    const context = {
      clear: (lane: number) => this.#keep(lane, 0),
      share: (from: number, to: number, tokens: number) => {
        this.#of(to).push(...this.#of(from).slice(0, tokens));
        return true;
      },
    };
    const cut = ({ number }: Lane, length: number): number => this.#keep(number, length);
    this.#kv = new Kv(
      context as unknown as NativeContext,
      { cut, sync: () => {} } as unknown as Checkpoints,
      this.lanes,
      {
        keeps: true,
        listener: {
          shared: ({ number: lane, grant }, stretches) =>
            this.toBroker.push({ type: 'shared', lane, grant, stretches }),
        },
      },
    );
  }

  // The broker

  ask(x: number, cells: number): void {
    const activity = `${x % ACTIVITIES}`;
    if ([...this.#granted.values()].some((other) => other.activity === activity)) return;
    const grant = ++this.#grants;
    const placement = choose({
      waiting: [
        {
          ...{ grant, account: openAccount(), activity, rank: 0, since: 0, cells, genes: [] },
          ...{ notBefore: 0, keeps: false },
        },
      ],
      ...{ lanes: this.table.all, cells: CELLS, paged: () => 0, now: ++this.#now },
      genes: { slots: 1, fixed: new Set(), taken: new Set() },
      host: NONE_KEPT,
    });
    if (placement === undefined) return;
    for (const lane of placement.vacate) {
      this.toEngine.push({ lane, activity: this.table.vacate(lane).activity });
      this.#told++;
    }
    const { lane } = placement;
    this.table.take(lane, { grant, activity }, placement, this.#now);
    const granted = { grant, lane, activity, cells, sharing: this.table.sharing(lane), vacated: this.#told };
    this.#granted.set(grant, granted);
    this.runs.push(granted);
  }

  giveBack(x: number): void {
    const [granted] = this.runs.splice(x % Math.max(1, this.runs.length), 1);
    if (granted === undefined) return;
    this.#granted.delete(granted.grant);
    this.table.giveBack(granted.lane);
  }

  hear(): void {
    const word = this.toBroker.shift();
    if (word?.type === 'shared') this.table.share(word.lane, word.grant, word.stretches);
    if (word?.type === 'shrank') this.table.shrink(word.lane, word.activity, word.held);
    if (word?.type !== 'ran') return;
    const { grant } = this.table.all[word.lane] as { grant: number };
    this.#granted.delete(grant);
    this.table.settle(word.lane, word.activity, { ...word, bytes: 0 }, ++this.#now);
  }

  // The engine

  vacate(): void {
    const vacated = this.toEngine.shift();
    if (vacated === undefined) return;
    this.#heard++;
    const lane = this.#lane(vacated.lane);
    if (lane.run === undefined && lane.activity === vacated.activity) this.#empty(lane);
  }

  /** It may wait for another one's prompt. */
  begin(x: number, y: number): void {
    const at = this.runs.findIndex(({ vacated }) => vacated <= this.#heard);
    const [granted] = at < 0 ? [] : this.runs.splice(at, 1);
    if (granted === undefined) return;
    const lane = this.#lane(granted.lane);
    const reused = lane.activity === granted.activity ? Math.min(y, lane.held, granted.cells - 1) : 0;
    if (reused < granted.sharing) {
      this.#shrink(lane, reused);
      return this.#over(lane, granted.grant);
    }
    if (reused === 0) this.#kv.clear(lane);
    else if (reused < lane.held) this.#kv.cut(lane, reused);
    const { grant, activity } = granted;
    Object.assign(lane, {
      grant,
      activity,
      held: reused,
      run: { grant, leader: x % 3 === 0 ? {} : undefined },
    });
    this.#shareOrWait(lane, x, y);
  }

  came(x: number, y: number): void {
    const lane = this.#lane(x % LANES);
    if (lane.run === undefined) return;
    const waited = lane.run.leader !== undefined;
    lane.run.leader = undefined;
    if (waited) this.#shareOrWait(lane, y, x);
  }

  step(x: number, y: number): void {
    const lane = this.#lane(x % LANES);
    const most = this.#granted.get(lane.run?.grant ?? 0)?.cells ?? 0;
    if (lane.run === undefined || lane.run.leader !== undefined) return;
    for (let i = 0; i < y && lane.held < most; i++, lane.held++) this.#of(lane.number).push({});
  }

  end(x: number, y: number): void {
    const lane = this.#lane(x % LANES);
    if (lane.run === undefined) return;
    const { grant } = lane.run;
    lane.run = undefined;
    this.#shrink(lane, y);
    this.#over(lane, grant);
  }

  #over(lane: Lane, grant: number): void {
    const stretches = this.#kv.over(lane, grant);
    const { number, activity, held } = lane;
    this.toBroker.push({ type: 'ran', lane: number, activity, held, stretches });
  }

  /** What an idle lane holds means nothing any more from there on. */
  forget(x: number, y: number): void {
    const lane = this.#lane(x % LANES);
    const { number, activity } = lane;
    if (lane.run !== undefined || activity === undefined) return;
    this.#shrink(lane, y);
    this.toBroker.push({ type: 'shrank', lane: number, activity, held: lane.held });
  }

  // What there is

  get taken(): number {
    return new Set(this.cells.flat()).size;
  }

  /** Once the lanes are vacated that the broker wants vacated. */
  get takenSoon(): number {
    const leaving = this.toEngine.filter(({ lane, activity }) => this.#lane(lane).activity === activity);
    return new Set(this.cells.filter((_, lane) => leaving.every((each) => each.lane !== lane)).flat()).size;
  }

  /** All words come, and all that runs ends. */
  settle(): void {
    while (this.toEngine.length > 0) this.vacate();
    while (this.runs.length > 0) this.begin(1, CELLS);
    for (const { number } of this.lanes) this.end(number, CELLS);
    while (this.toBroker.length > 0) this.hear();
  }

  #shareOrWait(lane: Lane, x: number, y: number): void {
    const run = lane.run as RunOnLane;
    if (run.leader !== undefined) return;
    const from = this.#lane(x % LANES);
    const { cells, sharing } = this.#granted.get(run.grant) as Granted;
    const tokens = Math.min(y, from.held, cells - 1);
    if (from === lane || tokens <= lane.held || !this.#kv.agree(from, lane, sharing))
      return this.#kv.tellShared([lane]);
    lane.held = this.#kv.share({ lane: from, tokens, run: undefined }, lane);
    this.#kv.tellShared([lane, from]);
  }

  #shrink(lane: Lane, to: number): void {
    if (to < lane.held) lane.held = this.#kv.cut(lane, to);
    if (lane.held === 0) this.#empty(lane);
  }

  #empty(lane: Lane): void {
    this.#kv.clear(lane);
    Object.assign(lane, emptyLane(lane.number));
  }

  #keep(lane: number, length: number): number {
    this.#of(lane).length = length;
    return length;
  }

  #of = (lane: number): object[] => this.cells[lane] as object[];
  #lane = (lane: number): Lane => this.lanes[lane] as Lane;
}

const OPS = [
  ...(['ask', 'ask', 'vacate', 'vacate', 'begin', 'begin', 'begin', 'came', 'step', 'step'] as const),
  ...(['end', 'end', 'hear', 'hear', 'hear', 'forget', 'giveBack'] as const),
];
const ops = fc.array(fc.tuple(fc.constantFrom(...OPS), fc.nat(11), fc.integer({ min: 1, max: CELLS })), {
  maxLength: 120,
});

function look(world: World): void {
  expect(world.taken).toBeLessThanOrEqual(CELLS);
  expect(world.takenSoon).toBeLessThanOrEqual(cellsOf(world.table.all));
  expect(cellsOf(world.table.all)).toBeLessThanOrEqual(CELLS);
}

it('B1 the broker never counts fewer cells than lanes take, and just as many when all is quiet', () => {
  fc.assert(
    fc.property(ops, (all) => {
      const world = new World();
      for (const [op, x, y] of all) {
        world[op](x, y);
        look(world);
      }
      world.settle();
      expect(cellsOf(world.table.all)).toBe(world.taken);
    }),
    { numRuns: 1000 },
  );
});

it('B1 what a lane shares that waits for more is not counted on: it may give it up', () => {
  const world = new World();
  world.ask(0, 30);
  world.begin(4, 1);
  world.step(0, 20);
  world.end(0, CELLS);
  world.hear();
  world.ask(1, 25);
  world.begin(1, 1);
  world.step(1, 24);
  // Lane 0 waits for lane 1, and lane 2 shares from it.
  world.ask(0, 30);
  world.begin(0, 20);
  world.ask(2, 5);
  world.begin(4, 4);
  world.end(1, CELLS);
  while (world.toBroker.length > 0) world.hear();
  world.came(24, 1);
  // As many as there would be if lanes 0 and 2 still had the same.
  world.ask(3, 29);
  while (world.toEngine.length > 0) world.vacate();
  world.begin(7, 1);
  for (const lane of [3, 0, 2]) world.step(lane, CELLS);
  look(world);
});
