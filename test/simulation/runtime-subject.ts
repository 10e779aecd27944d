/**
 * Simulates the runtime: eight actors on three threads that pass balls, while handlers throw, threads are lost, lines are
 * slow, actors are stopped and mailboxes flooded.
 */
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import { type ActorId, NOBODY } from '../../src/runtime/address.js';
import { Band } from '../../src/runtime/message.js';
import { MAIN_THREAD } from '../../src/runtime/well-known.js';
import type { Random } from '../../src/testing/index.js';
import {
  describeFault,
  drawFault,
  type Outcome,
  SimulatedSystem,
  type SimulationOptions,
  type Subject,
  type SystemFault,
  spareThreads,
  type Trial,
} from '../../src/testing/simulation/index.js';
import { gossip } from './gossip.js';

export type RuntimeFault =
  | SystemFault
  /** An actor is stopped, and another started under its name. */
  | { readonly kind: 'stop'; readonly at: number; readonly actor: number }
  /** An actor gets more at once than its mailbox, or the line to it, holds. */
  | { readonly kind: 'flood'; readonly at: number; readonly actor: number; readonly count: number };

const ACTORS = 8;
const MESSAGES = 2_010;
/** Faults come before so many messages, that all of them come. */
const LAST_FAULT = 1_900;
const FAULTS = { least: 6, most: 9 };
const THREADS = ['a', 'b', 'c'].map((name) => ({ name, host: true }));
/** Balls of one round, one an actor, and how often each is passed on. */
const HOPS = 10;
const ROUND_MS = 40;
/** Every other actor vanishes when it was idle for so long. */
const PASSIVATE_MS = 20;
const MOST_ROUNDS = 400;
/** Longer than any deadline of the game, so that what a frozen thread was asked is over before it is replaced. */
const FROZEN_MS = 400;
/** Who is found to have frozen its thread so often ends. */
const FREEZES_TO_END = 3;
/** Longer than every deadline and restart. */
const QUIET_MS = 20_000;

class Game {
  readonly #sim: SimulatedSystem;
  readonly #trial: Trial<RuntimeFault>;
  readonly #peers: ActorId[] = [];
  readonly #definition = gossip(this.#peers);
  readonly #faults: RuntimeFault[];
  #occurred = 0;
  /** Those that crashed too often to be started again. */
  readonly #gaveUp = new Set<string>();
  /** Speaks for whoever uses the system. */
  #caller: Context | undefined;

  constructor(sim: SimulatedSystem, trial: Trial<RuntimeFault>) {
    this.#sim = sim;
    this.#trial = trial;
    this.#faults = trial.faults.filter(({ kind }) => kind === 'stop' || kind === 'flood');
  }

  async play(): Promise<Outcome> {
    this.#sim.stage.system.onProbe((probe) => {
      if (probe.name === 'actor.given_up') this.#gaveUp.add(String(probe.actor));
    });
    const caller = { kind: 'caller', start: (ctx: Context) => this.#call(ctx) };
    await this.#sim.stage.spawn({ name: 'caller', actor: caller, thread: MAIN_THREAD });
    for (let actor = 0; actor < ACTORS; actor++) await this.#start(actor);
    for (let round = 0; round < MOST_ROUNDS && this.#sim.messages < this.#trial.messages; round++) {
      for (const id of this.#peers) this.#caller?.tell(id, { type: 'ball', hops: HOPS });
      await this.#sim.stage.runUntil(() => this.#sim.messages >= this.#trial.messages, ROUND_MS);
      await this.#disturb();
    }
    await this.#sim.quiet(QUIET_MS);
    this.#look();
    const outcome = this.#sim.outcome();
    return { ...outcome, faults: outcome.faults + this.#occurred };
  }

  /** Whoever was started and not stopped is there, whatever befell it or its thread. */
  #look(): void {
    const freezes = this.#trial.faults.filter(({ kind }) => kind === 'freeze').length;
    if (freezes >= FREEZES_TO_END) return;
    for (const [actor, id] of this.#peers.entries()) {
      const name = `gossip-${actor}`;
      if (id === NOBODY || this.#gaveUp.has(name) || this.#sim.alive(id)) continue;
      this.#sim.violations.add('who was not stopped is there', `${name} is not`);
    }
  }

  async #start(actor: number): Promise<void> {
    const args = { seed: this.#trial.seed * ACTORS + actor };
    const idle = actor % 2 === 0 ? { passivateMs: PASSIVATE_MS } : {};
    const options = { name: `gossip-${actor}`, actor: this.#definition, args, ...idle };
    // The thread that it was to start on may be lost just now.
    this.#peers[actor] = await this.#sim.stage.spawn(options).catch(() => NOBODY);
  }

  #call(ctx: Context): Behaviour {
    this.#caller = ctx;
    return { receive() {} };
  }

  async #disturb(): Promise<void> {
    for (const fault of this.#faults.filter(({ at }) => at <= this.#sim.messages)) {
      this.#faults.splice(this.#faults.indexOf(fault), 1);
      this.#occurred++;
      if (fault.kind === 'stop') {
        await this.#sim.stage.stopActor(this.#peers[fault.actor] as ActorId);
        await this.#start(fault.actor);
      } else if (fault.kind === 'flood') {
        const by = this.#peers[(fault.actor + 1) % ACTORS] as ActorId;
        const to = this.#peers[fault.actor] as ActorId;
        this.#caller?.tell(by, { type: 'flood', to, count: fault.count }, { band: Band.reserved });
      }
    }
  }
}

export const runtimeSubject = (planted: Partial<SimulationOptions> = {}): Subject<RuntimeFault> => ({
  name: 'runtime',
  messages: MESSAGES,

  draw(random: Random): RuntimeFault[] {
    const count = random.between(FAULTS.least, FAULTS.most);
    const faults = Array.from({ length: count }, (): RuntimeFault => {
      const at = random.between(1, LAST_FAULT);
      const actor = random.below(ACTORS);
      if (random.oneIn(5)) return { kind: 'stop', at, actor };
      if (random.oneIn(40)) return { kind: 'flood', at, actor, count: random.oneIn(4) ? 9_000 : 1_500 };
      return drawFault(random, LAST_FAULT, { lose: [2, 3, 4], freeze: [2, 3, 4] });
    });
    return spareThreads(faults);
  },

  describe(fault) {
    if (fault.kind === 'stop')
      return `message ${fault.at}: gossip-${fault.actor} is stopped, and another started`;
    if (fault.kind === 'flood')
      return `message ${fault.at}: gossip-${fault.actor} gets ${fault.count} messages at once`;
    return describeFault(fault);
  },

  async run(trial) {
    const faults = trial.faults.filter(
      (fault): fault is SystemFault => !['stop', 'flood'].includes(fault.kind),
    );
    const sim = await SimulatedSystem.start({
      seed: trial.seed,
      threads: THREADS,
      faults,
      frozenMs: FROZEN_MS,
      ...planted,
    });
    return new Game(sim, trial).play();
  },
});
