/** `troupe pages` at a troupe that runs, as another process sees it. */
import { describe, expect, it } from 'vitest';
import { describePages } from '../../src/cli/pages.js';
import { folder, greedy, startTroupe } from '../face/stage.js';
import { troupe as command } from './run.js';

describe('U2 troupe pages', { timeout: 120_000 }, () => {
  it('U2 shows the rooms of a running troupe and where each is, against the ceiling', async () => {
    using place = folder();
    const options = { dir: place.path, lanes: 2, memory: { pages: 2 ** 20 } };
    await using troupe = await startTroupe(options);
    const args = ['pages', '--dir', place.path];
    const empty = await command(args);
    expect(empty).toMatchObject({ code: 0, err: '' });
    expect(empty.out.split('\n').map((line) => line.trimEnd())).toEqual([
      'no room holds anything',
      '',
      'lanes   0 running and 0 idle of 2',
      'memory  0 pages, 0 B of 1.0 MiB',
      'disk    0 pages, 0 B; 0 nowhere else',
      '',
    ]);
    const [ada, ben, eve] = [await troupe.mind('ada'), await troupe.mind('ben'), await troupe.mind('eve')];
    const say = (mind: typeof ada, room = 'main') =>
      mind.turn('One.', { room, maxTokens: 4, sampling: greedy }).result;
    for (const mind of [ada, ben]) await say(mind);
    const { tokens } = await ada.spill({ drop: true });
    await ben.spill();
    await say(eve);
    await say(ada, 'garden');
    const { code, out } = await command(args);
    expect(code).toBe(0);
    const since = String.raw`\d[\d.,]* \w+`;
    const expected = [
      /^room +where +tokens +size +since$/,
      new RegExp(String.raw`^eve/main +lane \d +\d+ +[\d.]+ KiB +${since}$`),
      new RegExp(String.raw`^ada/garden +lane \d +\d+ +[\d.]+ KiB +${since}$`),
      new RegExp(String.raw`^ben/main +memory +\d+ +[\d.]+ KiB +${since} +generation 1 on disk$`),
      new RegExp(String.raw`^ada/main +disk +${tokens} +[\d.]+ KiB +${since} +generation 1$`),
      /^$/,
      /^lanes +0 running and 2 idle of 2$/,
      /^memory +1 page, [\d.]+ KiB of 1\.0 MiB$/,
      /^disk +2 pages, [\d.]+ KiB; 1 nowhere else$/,
    ];
    for (const pattern of expected) {
      expect(out.split('\n')).toContainEqual(expect.stringMatching(pattern));
    }
  });

  it('U2 shows a lane that runs, and says how many rooms are left out', () => {
    const counts = {
      ...{ lanes: 1, running: 0, idle: 0, memoryPages: 1_001, memoryBytes: 1_001, ceilingBytes: 2_002 },
      ...{ diskOnly: 0, diskPages: 0, diskBytes: 0 },
    };
    const room = { mind: 'ada', room: 'main', where: 'memory', lane: null, running: false } as const;
    const one = { ...room, tokens: 1_234, bytes: 1, ageMs: 5, generation: null };
    const runs = { ...one, room: 'garden', where: 'lane', lane: 3, running: true, bytes: null } as const;
    const lines = describePages({ rooms: [runs, one], more: 1_000, counts });
    expect(lines).toContain('ada/garden  lane 3  1,234         5 ms   running');
    expect(lines).toContain('ada/main    memory  1,234   1 B   5 ms');
    expect(lines).toContain('and 1,000 more');
    expect(lines).toContain('memory  1,001 pages, 1001 B of 2.0 KiB');
  });
});
