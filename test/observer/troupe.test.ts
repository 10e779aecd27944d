/** The control socket of a troupe with a model. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NoSuchActor } from '../../src/errors.js';
import { Troupe } from '../../src/index.js';
import { Client } from '../../src/observer/client.js';
import {
  circling,
  ENDLESS,
  probesOf,
  running,
  startTroupe,
  TINY,
  until,
  writeLongModel,
} from '../face/stage.js';
import { folder, LABEL } from './stage.js';

/** Room for a turn that goes on for seconds, until it is cancelled. */
const CONTEXT = 8_192;

describe('R6 a troupe', () => {
  it('R6 can be looked at through a socket in its folder, which is gone when it has stopped', async () => {
    using at = folder();
    using models = folder();
    const model = writeLongModel(join(models.path, 'long.gguf'), CONTEXT);
    const troupe = await startTroupe({ dir: at.path, model, context: CONTEXT, lanes: 1 });
    const client = await Client.attach(at.path, LABEL);
    const bo = await troupe.mind('bo');
    const ada = await troupe.mind('ada');
    const first = bo.turn(ENDLESS, { maxTokens: CONTEXT / 2, sampling: circling });
    await until(() => running(troupe) === 1, 'a running turn');
    const second = ada.turn('Good evening.', { maxTokens: 2 });
    await until(() => troupe.why('ada').verdict === 'keeper', 'a wait for a lane');
    const { sentence } = await client.ask({ type: 'why', name: 'ada' });
    expect(sentence).toMatch(
      /^ada waits .* for broker \(lane\): broker has given lane 0 to bo, and one of them must give back; the wait of ada ends by its deadline in (59 min|1 h)/,
    );
    expect(troupe.why('bo')).toMatchObject({
      verdict: 'served',
      sentence: 'bo has lane 0, on which engine works.',
    });
    const { actors } = await client.ask({ type: 'inspect', limit: 100 });
    expect(actors.find(({ name }) => name === 'bo')).toMatchObject({ kind: 'mind', holds: ['lane 0'] });
    const { waits, names } = await client.ask({ type: 'peek', name: 'ada', preview: true });
    expect(waits.map(({ on, reason }) => [names[on], reason])).toEqual([['broker', 'lane']]);
    first.cancel();
    await Promise.all([first.result, second.result]);
    await troupe.stop();
    await client.ended;
    expect(readdirSync(at.path)).toEqual([]);
  });

  it('R6 says why by name; an unknown one is refused with the nearest', async () => {
    using at = folder();
    await using troupe = await startTroupe({ dir: at.path });
    await troupe.mind('barnaby');
    expect(troupe.why('barnaby').sentence).toBe(
      'barnaby waits for nothing and has no message queued or in hand.',
    );
    expect(troupe.why('mind/barnaby').actor).toBe('barnaby');
    expect(() => troupe.why('barnabi')).toThrow(NoSuchActor);
    expect(() => troupe.why('barnabi')).toThrow('the nearest name is barnaby');
    expect(() => troupe.why(7 as never)).toThrow('name is 7; expected a string');
  });

  it('R6 starts without a socket when none can be opened, and says so in a probe', async () => {
    using at = folder();
    const dir = join(at.path, 'd'.repeat(100));
    mkdirSync(dir);
    await using troupe = await startTroupe({ dir });
    using probes = probesOf(troupe, 'observer.failed');
    await until(() => probes.seen.length > 0, 'the probe');
    expect(probes.seen).toEqual([
      { name: 'observer.failed', dir, reason: expect.stringContaining('name a shorter folder') },
    ]);
  });

  it('R6 that cannot start leaves no socket', async () => {
    using at = folder();
    const broken = Troupe.start({ model: TINY, dir: at.path, cells: 17, context: 32 });
    await expect(broken).rejects.toThrow();
    expect(existsSync(join(at.path, `${LABEL}.sock`))).toBe(false);
  });
});
