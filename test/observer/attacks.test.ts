/** What comes over the control socket, from either side, may be anything. */
import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AskTimeout, ObserverFailed } from '../../src/errors.js';
import { Client } from '../../src/observer/client.js';
import { MAX_CONNECTIONS, MAX_PENDING, PROTOCOL } from '../../src/observer/protocol.js';
import { folder, observed, raw, source, until } from './stage.js';

const inspect = { type: 'inspect', limit: 10 } as const;
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

describe('R6 the control socket under attack', () => {
  it('R6 what is no request is refused in its turn, and the next one is answered', async () => {
    using at = await observed();
    const { socket, lines } = await raw(at.path);
    const garbage = [
      'null',
      '[]',
      '"why"',
      '{"id":1e400,"type":"why"}',
      '{"id":{},"type":"why"}',
      '{"__proto__":{"id":1,"type":"inspect"}}',
      `${'['.repeat(4_000)}`,
      '\0\0\0',
      '{"id":1,"type":"toString"}',
      '{"id":1,"type":"inspect","limit":1e309}',
      `{"id":1,"type":"peek","name":"${'a'.repeat(4_000)}"}`,
      '{"id":1,"type":"messages","actor":"nobody"}',
    ];
    socket.write(`${garbage.join('\n')}\n`);
    socket.write('{"id":2,"type":"wh');
    await until(() => lines.length === 1 + garbage.length, 'an answer to each');
    expect(lines.slice(1).every(({ type }) => type === 'failed')).toBe(true);
    socket.write('y","name":"bob"}\n');
    await until(
      () => lines.length === 2 + garbage.length,
      'an answer to the request that came in two halves',
    );
    expect(lines.at(-1)).toMatchObject({ type: 'reply', id: 2, value: { verdict: 'idle' } });
    socket.destroy();
  });

  it('R6 bytes that are no text are cut off when no line ends, and harm nobody else', async () => {
    using at = await observed();
    const client = await at.attach();
    for (let i = 0; i < 20; i++) {
      const { socket, closed } = await raw(at.path);
      const bytes = randomBytes(64 * 1024).map((byte) => (byte === 10 ? 11 : byte));
      socket.write(bytes);
      await closed;
    }
    expect((await client.ask(inspect)).actors.length).toBe(2);
  });

  it('R6 a flood of requests is cut off, and no more of it is worked on', async () => {
    const asked = source();
    let peeks = 0;
    asked.peek = async (id) => {
      peeks++;
      return { id, name: 'bob', inHand: undefined, queued: [], more: 0, waits: [] };
    };
    using at = await observed(asked);
    const { socket, closed } = await raw(at.path);
    socket.write(line({ id: 1, type: 'peek', name: 'bob' }).repeat(1_000));
    await closed;
    const client = await at.attach();
    for (let i = 0; i < 30; i++) expect((await client.ask(inspect)).actors.length).toBe(2);
    expect(peeks).toBeLessThanOrEqual(MAX_PENDING);
  });

  it('R6 those who come and go, and those who come in crowds, leave room for the next', async () => {
    using at = await observed();
    const crowd = await Promise.all(Array.from({ length: 5 * MAX_CONNECTIONS }, () => raw(at.path)));
    for (const { socket } of crowd) socket.destroy();
    await Promise.all(crowd.map(({ closed }) => closed));
    const served = async (): Promise<boolean> => {
      const client = await Client.attach(at.dir, String(process.pid)).catch(() => undefined);
      const seen = await client?.ask(inspect);
      client?.close();
      return seen !== undefined;
    };
    let free = false;
    void (async () => {
      while (!free) free = await served();
    })();
    await until(() => free, 'room for one more');
  });

  it('R6 one trace after the other on one connection leaves no listener behind', async () => {
    using at = await observed();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const client = await at.attach();
    for (let i = 0; i < 15; i++) {
      const probes = { type: 'trace', actor: undefined, event: undefined, forMs: 1, perSecond: 1 } as const;
      await client.ask(probes);
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('R6 an observer in front of what is no troupe', () => {
  /** Attaches to a server that does with a connection what it is told. */
  async function attachTo(serve: (socket: Socket) => void): Promise<unknown> {
    using at = folder();
    const server = createServer(serve).listen(join(at.path, '7.sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      const client = await Client.attach(at.path, '7');
      const answer = await client.ask(inspect).catch((error: unknown) => error);
      client.close();
      return answer;
    } catch (error) {
      return error;
    } finally {
      server.close();
    }
  }

  const hello = (protocol: unknown): string => line({ type: 'hello', protocol, pid: 7 });

  it.each([
    [
      'a version of the protocol that is newer',
      hello(PROTOCOL + 1),
      /it speaks version 2 of the protocol, and this is version 1/,
    ],
    ['a version that is none', hello('new'), /it speaks version new of the protocol/],
    ['no JSON', 'HTTP/1.1 200 OK\n', /it has ended, or takes no more observers/],
    ['nothing in JSON', 'null\n', /it has ended, or takes no more observers/],
  ])('R6 %s is told as such', async (_, said, message) => {
    const error = await attachTo((socket) => socket.on('error', () => {}).write(said));
    expect(error).toBeInstanceOf(ObserverFailed);
    expect((error as Error).message).toMatch(message);
  });

  it('R6 a failure without an error is told as such', async () => {
    const error = await attachTo((socket) => {
      socket.on('error', () => {}).write(hello(PROTOCOL));
      socket.on('data', () => socket.write(line({ type: 'failed', id: 1 })));
    });
    expect(error).toBeInstanceOf(ObserverFailed);
  });

  it('R6 a line without an end is cut off', async () => {
    const error = await attachTo((socket) => {
      socket.on('error', () => {});
      const more = (): void => {
        while (socket.writable && socket.write('x'.repeat(2 ** 16)));
      };
      socket.on('drain', more);
      more();
    });
    expect(error).toBeInstanceOf(ObserverFailed);
  });

  it('R6 one who hangs up at once, and one who says nothing', async () => {
    expect(await attachTo((socket) => socket.destroy())).toBeInstanceOf(ObserverFailed);
    expect(await attachTo((socket) => socket.on('error', () => {}))).toBeInstanceOf(AskTimeout);
  });
});
