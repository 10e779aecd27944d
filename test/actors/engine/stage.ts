/**
 * An engine on a real context, and one who has runs on it as a mind and reads them as a reader: it can give a run up after
 * just so many tokens, and go on with it.
 */
import definition from '../../../src/actors/engine/engine.js';
import type {
  EngineArgs,
  EngineControl,
  EngineToBroker,
  Pieces,
  Run,
  RunDone,
} from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import type { Context } from '../../../src/runtime/actor.js';
import { Band } from '../../../src/runtime/message.js';
import { greedy, TINY } from '../../native/fixtures.js';
import { Party, settled, TestThread } from '../thread.js';

/** Of all runs of one reply: what its reader has read, and the last words of each. */
export interface Read {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly runs: readonly RunDone[];
}

export class EngineStage {
  readonly thread: TestThread;
  readonly broker: Party<EngineControl, EngineToBroker>;
  readonly engine: number;
  readonly #ctx: Context;
  #hear: (message: RunDone | Pieces) => void = () => {};
  #grants = 0;

  private constructor(thread: TestThread, broker: EngineStage['broker'], engine: number, ctx: Context) {
    this.thread = thread;
    this.broker = broker;
    this.engine = engine;
    this.#ctx = ctx;
  }

  static async open(given: Partial<EngineArgs> = {}): Promise<EngineStage> {
    const thread = await TestThread.start();
    let stage: EngineStage | undefined;
    const broker = await Party.enter<EngineControl & { type: string }, EngineToBroker>(
      thread,
      'broker',
      () => stage?.engine ?? 0,
    );
    let own: Context | undefined;
    const control = (message: RunDone | Pieces): void => (stage as EngineStage).#hear(message);
    const start = (ctx: Context) => {
      own = ctx;
      return { receive() {}, control };
    };
    await thread.spawn({ kind: 'mind', start }, 'mind');
    const args: EngineArgs = {
      ...{ model: TINY, mmap: false, gpuLayers: 0, rows: 64, threads: 1, promptThreads: 1 },
      shape: { lanes: 2, cells: 1024, context: 512 },
      ...{ flashAttention: true, pageBytes: 2 ** 26, checkpointBytes: 0 },
      ...{ broker: broker.id, owner: 'it', status: createStatus() },
      ...given,
    };
    const engine = await thread.spawn(definition as never, 'engine', args);
    stage = new EngineStage(thread, broker, engine, own as Context);
    return stage;
  }

  tell(message: EngineControl): void {
    this.#ctx.tell(this.engine, message, { band: Band.reserved });
  }

  /** Begins a run on lane 0; answers its grant. */
  begin(tokens: Int32Array, given: Partial<Run> = {}): number {
    const grant = ++this.#grants;
    const run: Run = {
      ...{
        type: 'run',
        grant,
        epoch: 0,
        activity: 'a',
        lane: 0,
        continues: false,
        sharing: 0,
        vacated: 0,
        tokens,
      },
      ...{
        genes: [],
        base: 0,
        partings: [],
        sampling: greedy,
        stops: [],
        maxTokens: 24,
        reader: this.#ctx.self,
        turn: 1,
      },
      ...given,
    };
    this.#ctx.tell(this.engine, { ...run });
    return grant;
  }

  /** What a reply reads like whose run is given up each time that a reader has just so many tokens of it. */
  async read(tokens: Int32Array, at: readonly number[] = [], given: Partial<Run> = {}): Promise<Read> {
    const read = { text: '', tokens: [] as number[], runs: [] as RunDone[] };
    let seams = [...at];
    let { soFar } = given;
    for (;;) {
      const done = await new Promise<RunDone>((resolve) => {
        this.#hear = (message) => {
          if (message.type === 'done') return resolve(message);
          read.text += message.texts.join('');
          read.tokens.push(...message.tokens);
          if (read.tokens.length < (seams[0] ?? Number.POSITIVE_INFINITY)) return;
          this.tell({ type: 'yield', grant, leftIn: 'page' });
          seams = seams.filter((seam) => seam > read.tokens.length);
        };
        const grant = this.begin(tokens, { ...given, soFar });
      });
      read.runs.push(done);
      if (done.outcome !== 'reclaimed') {
        return { ...read, text: read.text + done.text.slice(read.text.length) };
      }
      soFar = done.soFar;
    }
  }

  /** What the broker has heard of one type since it last asked. */
  async heard<T extends EngineToBroker['type']>(type: T): Promise<(EngineToBroker & { type: T })[]> {
    await settled();
    return (await this.broker.hears()).filter(
      (message): message is EngineToBroker & { type: T } => message.type === type,
    );
  }

  /** The last word of the run that is under way. */
  done(): Promise<RunDone> {
    return new Promise((resolve) => {
      this.#hear = (message) => message.type === 'done' && resolve(message);
    });
  }

  close(): Promise<void> {
    return this.thread.stop();
  }
}
