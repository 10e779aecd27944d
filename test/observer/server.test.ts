import { describe, expect, it } from 'vitest';
import { ActorEnded, AskTimeout, NoSuchActor, ObserverFailed } from '../../src/errors.js';
import { Client } from '../../src/observer/client.js';
import { Pace } from '../../src/observer/pace.js';
import { MAX_CONNECTIONS } from '../../src/observer/protocol.js';
import { Lookout } from '../../src/observer/source.js';
import { sightOf } from '../runtime/planted.js';
import { exited, folder, LABEL, observed, raw, running, source, until } from './stage.js';

const inspect = { type: 'inspect', limit: 10 } as const;
describe('R6 the control socket', () => {
  it('R6 answers inspect, why and peek', async () => {
    using at = await observed();
    const client = await at.attach();
    expect((await client.ask(inspect)).actors.map(({ name }) => name)).toEqual(['ada', 'bob']);
    const { sentence, verdict, chain } = await client.ask({ type: 'why', name: 'ada' });
    expect(sentence).toMatch(/^ada waits 3\.2 s for bob \(greet\): /);
    expect([verdict, chain]).toEqual(['idle', ['ada', 'bob']]);
    expect(await client.ask({ type: 'peek', name: 'bob', preview: false })).toMatchObject({
      queued: [],
      names: { 2: 'bob' },
    });
  });

  it('R6 a wrong name is told with the nearest right one', async () => {
    using at = await observed();
    const client = await at.attach();
    const error: unknown = await client.ask({ type: 'why', name: 'adda' }).catch((reason) => reason);
    expect(error).toBeInstanceOf(NoSuchActor);
    expect((error as Error).message).toBe('no actor is named adda; the nearest name is ada');
    await expect(client.ask({ type: 'peek', name: 'zzz', preview: false })).rejects.toThrow(
      'no actor is named zzz',
    );
  });

  it('R6 what the source refuses reaches the observer, without the stack', async () => {
    const error = new ActorEnded({ actor: 'bob', reason: 'it left' });
    using at = await observed(source(() => Promise.reject(error)));
    const client = await at.attach();
    await expect(client.ask({ type: 'peek', name: 'bob', preview: false })).rejects.toThrow(ActorEnded);
    const { socket, lines } = await raw(at.path);
    socket.write('{"id":1,"type":"peek","name":"bob"}\n');
    await until(() => lines.length === 2, 'an answer');
    expect(lines[1]).toEqual({
      type: 'failed',
      id: 1,
      error: { code: 'ActorEnded', message: error.message, detail: error.detail },
    });
    socket.destroy();
  });

  it('R6 an answer has a deadline, and the next request is answered', async () => {
    using at = await observed(source(() => new Promise(() => {})));
    const client = await at.attach();
    const began = performance.now();
    await expect(client.ask({ type: 'peek', name: 'bob', preview: false })).rejects.toThrow(AskTimeout);
    expect(performance.now() - began).toBeGreaterThan(2_900);
    expect((await client.ask(inspect)).more).toBe(0);
  });

  it('R6 speaks lines of JSON, and ends when the other side has said all', async () => {
    using at = await observed();
    const { socket, lines, closed } = await raw(at.path);
    socket.end('{"id":7,"type":"why","name":"bob"}\nnonsense\n');
    await closed;
    expect(lines).toMatchObject([
      { type: 'hello', protocol: 1, pid: process.pid },
      { type: 'reply', id: 7, value: { verdict: 'idle' } },
      { type: 'failed', id: 0, error: { code: 'BadArgument' } },
    ]);
  });

  it('R6 one who says too much in one line is cut off', async () => {
    using at = await observed();
    const { socket, closed } = await raw(at.path);
    socket.write('x'.repeat(5_000));
    await closed;
  });

  it('R6 one who does not read is cut off, and what is kept for them is bounded', async () => {
    const many = source();
    many.sight = sightOf(
      Array.from({ length: 2_000 }, (_, i) => ({ name: `actor-${i}`, lastError: 'x'.repeat(200) })),
    );
    using at = await observed(many);
    const { socket, closed } = await raw(at.path);
    socket.pause();
    const before = process.memoryUsage().rss;
    const answersBefore = many.looks;
    for (let i = 0; i < 100 && !socket.destroyed; i++) {
      socket.write(`{"id":${i},"type":"inspect","limit":2000}\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(many.looks - answersBefore).toBeLessThan(20);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    socket.resume();
    await closed;
  });

  it('R6 one who asks again and again without waiting is cut off', async () => {
    using at = await observed(source(() => new Promise(() => {})));
    const { socket, closed } = await raw(at.path);
    socket.write('{"id":1,"type":"peek","name":"bob"}\n'.repeat(40));
    await closed;
  });

  it('R6 has room for so many observers, and tells the next one', async () => {
    using at = await observed();
    for (let i = 0; i < MAX_CONNECTIONS; i++) await at.attach();
    await expect(at.attach()).rejects.toThrow(/takes no more observers/);
  });

  it('R6 observers that look at one time share a look', async () => {
    const shared = source();
    using at = await observed(shared);
    const clients = [await at.attach(), await at.attach()];
    await Promise.all(clients.flatMap((client) => [client.ask(inspect), client.ask(inspect)]));
    expect(shared.looks).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await clients[0]?.ask(inspect);
    expect(shared.looks).toBeGreaterThanOrEqual(2);
  });

  it('R6 looks at nothing while nobody asks', async () => {
    const unasked = source();
    using at = await observed(unasked);
    await at.attach();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([unasked.looks, unasked.listeners.size]).toEqual([0, 0]);
  });

  it('R6 those who are attached hear of its end, and their requests fail', async () => {
    using at = await observed(source(() => new Promise(() => {})));
    const client = await at.attach();
    const asked = client.ask({ type: 'peek', name: 'bob', preview: false });
    const failed = expect(asked).rejects.toThrow(ObserverFailed);
    await new Promise((resolve) => setTimeout(resolve, 50));
    at.observer.close();
    await failed;
    await client.ended;
    await expect(client.ask(inspect)).rejects.toThrow(/process \d+ cannot be observed: it has ended/);
  });

  it('R6 does not keep its process alive, attached to or not', async () => {
    using at = folder();
    const [alone, attached] = await Promise.all([
      running(at.path, 'unwatched'),
      running(at.path, 'unwatched'),
    ]);
    const client = await Client.attach(at.path, String(attached.pid));
    await client.ask(inspect);
    await Promise.all([exited(alone), exited(attached), client.ended]);
    expect([alone.exitCode, attached.exitCode]).toEqual([0, 0]);
  });

  it('R6 a process whose main thread is busy is told of as such', async () => {
    using at = folder();
    const child = await running(at.path, 'busy');
    await new Promise((resolve) => setTimeout(resolve, 150));
    await expect(Client.attach(at.path, String(child.pid))).rejects.toThrow(
      /process \d+ \(its main thread\) did not answer its greeting within 3000 ms/,
    );
    child.kill('SIGKILL');
    await exited(child);
  });

  it('R6 attaching where nobody listens fails with the reason', async () => {
    using at = folder();
    await expect(Client.attach(at.path, LABEL)).rejects.toThrow(/process \d+ cannot be observed: .*ENOENT/);
  });
});

describe('R6 a look', () => {
  const looking = (costMs: number) => {
    let now = 0;
    let looks = 0;
    const { sight } = source();
    const inspect = () => {
      looks++;
      now += costMs;
      return sight;
    };
    const lookout = new Lookout({ inspect }, () => now);
    return { lookout, looks: () => looks, wait: (ms: number) => (now += ms) };
  };

  it.each([
    ['is shared for 50 ms', 0, 50],
    ['is shared for nine times what it took', 200, 1_800],
  ])('R6 %s', (_, costMs, freshMs) => {
    const { lookout, looks, wait } = looking(costMs);
    const first = lookout.look();
    wait(freshMs - 1);
    expect([lookout.look(), looks()]).toEqual([first, 1]);
    wait(1);
    expect(lookout.look().atMs).toBeGreaterThan(first.atMs);
    expect(looks()).toBe(2);
  });

  it('R6 is forgotten when nobody is there to share it', async () => {
    const { lookout, looks } = looking(0);
    lookout.look();
    lookout.forget();
    lookout.look();
    expect(looks()).toBe(2);
  });
});

describe('R6 the pace of observers', () => {
  it('R6 after work comes a rest nine times as long, for all together', async () => {
    let now = 0;
    const pace = new Pace(() => now);
    const rested: string[] = [];
    pace.work(() => (now += 5));
    pace.work(() => (now += 1));
    expect(now).toBe(6);
    void pace.turn().then(() => rested.push('one'));
    now = 58;
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(rested).toEqual([]);
    now = 59;
    await until(() => rested.length === 1, 'the end of the rest');
  });

  it('R6 what the work throws is thrown, and counted', async () => {
    let now = 0;
    const pace = new Pace(() => now);
    const fail = () => {
      now += 5;
      throw new Error('no');
    };
    expect(() => pace.work(fail)).toThrow('no');
    let rested = false;
    void pace.turn().then(() => {
      rested = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(rested).toBe(false);
  });
});
