/**
 * A mind whose broker, engine and reader are told what to say.
 */
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import type { EngineControl, Run, RunDone } from '../../../src/actors/engine/protocol.js';
import definition from '../../../src/actors/mind/mind.js';
import type {
  MindArgs,
  MindControl,
  ReaderQuestion,
  TurnAnswer,
  TurnRequest,
} from '../../../src/actors/mind/protocol.js';
import type { PinnedGene } from '../../../src/actors/residency/protocol.js';
import { Party, TestThread } from '../thread.js';

/** A turn that was called, and its answer once there is one. */
export interface Called {
  readonly turn: number;
  ended: TurnAnswer | undefined;
  readonly answer: Promise<TurnAnswer>;
}

export class MindStage {
  readonly thread: TestThread;
  readonly broker: Party<BrokerToMind, MindToBroker>;
  readonly engine: Party<RunDone, Run | EngineControl>;
  readonly reader: Party<MindControl, ReaderQuestion>;
  readonly mind: number;
  #turns = 0;

  private constructor(of: Pick<MindStage, 'thread' | 'broker' | 'engine' | 'reader' | 'mind'>) {
    this.thread = of.thread;
    this.broker = of.broker;
    this.engine = of.engine;
    this.reader = of.reader;
    this.mind = of.mind;
  }

  /** `model`: weights that the vocabulary is read from; `engine`: in place of the one that is told what to say. */
  static async open(model: number, engine?: number): Promise<MindStage> {
    const thread = await TestThread.start();
    let mind = 0;
    const parties = {
      broker: await Party.enter<BrokerToMind, MindToBroker>(thread, 'broker', () => mind),
      engine: await Party.enter<RunDone, Run | EngineControl>(thread, 'engine', () => mind),
      reader: await Party.enter<MindControl, ReaderQuestion>(thread, 'reader', () => mind),
    };
    const args: MindArgs = {
      ...{ name: 'ada', system: 'Be brief.', sampling: {}, class: 'interactive', genes: [], model },
      ...{ plainSystem: false, modelName: 'tiny', broker: parties.broker.id },
      engine: engine ?? parties.engine.id,
      limits: new Int32Array(new SharedArrayBuffer(4)).fill(512),
    };
    mind = await thread.spawn(definition as never, 'mind/ada', args);
    return new MindStage({ thread, ...parties, mind });
  }

  call(given: Partial<TurnRequest> = {}): Called {
    const turn = ++this.#turns;
    const request: TurnRequest = {
      ...{ type: 'turn', turn, room: 'main', text: 'Good evening.', maxTokens: 20, genes: undefined },
      ...{ sampling: {}, stops: [], onReclaim: 'resume', calledAt: 0, deadlineMs: 600_000 },
      reader: this.reader.id,
      ...given,
    };
    const answer = this.thread.ask<TurnAnswer>(this.mind, { ...request });
    const called: Called = { turn, ended: undefined, answer };
    answer.then(
      (ended) => {
        called.ended = ended;
      },
      () => {},
    );
    return called;
  }

  /** The next thing of this type that the broker hears. */
  async asked<T extends MindToBroker['type']>(type: T): Promise<MindToBroker & { type: T }> {
    const heard = await this.broker.hears();
    const found = heard.find((message): message is MindToBroker & { type: T } => message.type === type);
    if (found === undefined) throw new Error(`no ${type} among ${heard.map((message) => message.type)}`);
    return found;
  }

  /** Grants the request that waits; answers it, and the run that the engine gets for it. */
  async grant(
    grant: number,
    genes: readonly PinnedGene[] = [],
  ): Promise<{ readonly ticket: number; readonly since: number; readonly run: Run }> {
    const { ticket, since = 0 } = await this.asked('request');
    const granted = { type: 'granted' as const, ticket, grant, epoch: 0, lane: 0, continues: false };
    const phenotype = { genes, missed: { genes: 0, bytes: 0 } };
    this.broker.tell({ ...granted, sharing: 0, vacated: 0, phenotype });
    const [run] = (await this.engine.hears()) as [Run];
    return { ticket, since, run };
  }

  /** The engine's last word of a run. */
  done(grant: number, given: Partial<RunDone> = {}): void {
    this.engine.tell({
      ...{ type: 'done', grant, begun: true, outcome: 'stop', text: '' },
      ...{ reply: new Int32Array(0), soFar: undefined, produced: 1, processed: 10, reused: 0, shared: 0 },
      ...{ pagedIn: { bytes: 0, ms: 0 }, times: { waitedMs: 1, promptMs: 2, decodeMs: 3 }, error: undefined },
      ...given,
    });
  }

  close(): Promise<void> {
    return this.thread.stop();
  }
}
