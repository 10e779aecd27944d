/** What is said of a pool that was tried, and what is not said again. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Alerts, type Attempt } from '../../../src/actors/broker/alerts.js';

let alerts: Alerts;
beforeEach(() => {
  alerts = new Alerts();
});
const attempt = (freedBytes: number, more: Partial<Attempt> = {}): Attempt => ({
  ...{ pool: 'host', level: 'high', pressure: 0.85, wantedBytes: 100, freedBytes, pendingBytes: 0 },
  ...more,
});

describe('an alert', () => {
  it.each([
    [100, 0, 'host is high, 85 % full: 100 B came free'],
    [40, 60, 'host is high, 85 % full: 40 B came free, 60 B of the 100 B wanted did not'],
    [0, 100, 'host is high, 85 % full, hot and stuck: nothing of the 100 B wanted came free'],
  ])('B3 says what came free: %i', (freed, stuckBytes, says) => {
    expect(alerts.tried(attempt(freed), 0)).toMatchObject({ stuckBytes, says });
  });

  it.each([
    [0, 100, 0, 'host is high, 85 % full: 0 B came free, 100 B are on their way'],
    [
      10,
      60,
      30,
      'host is high, 85 % full: 10 B came free, 60 B are on their way, 30 B of the 100 B wanted did not',
    ],
  ])('B5 calls nothing stuck that is on its way: %i and %i', (freed, pendingBytes, stuckBytes, says) => {
    expect(alerts.tried(attempt(freed, { pendingBytes }), 0)).toMatchObject({ stuckBytes, says });
  });

  it('B3 is not repeated while level and stuck bytes are the same', () => {
    expect(alerts.tried(attempt(0), 0)).toBeDefined();
    expect(alerts.tried(attempt(0), 1e9)).toBeUndefined();
  });

  it.each([
    ['the level', attempt(0, { level: 'critical' })],
    ['what is stuck', attempt(10)],
  ])('B3 comes again when %s has changed, after half a minute', (_, next) => {
    alerts.tried(attempt(0), 0);
    expect(alerts.tried(next, 29_999)).toBeUndefined();
    expect(alerts.tried(next, 30_000)).toBeDefined();
  });

  it('B3 of a pool that was calm in between is news', () => {
    alerts.tried(attempt(0), 0);
    alerts.calm('host');
    expect(alerts.tried(attempt(0), 10_000)).toBeUndefined();
    expect(alerts.tried(attempt(0), 30_000)).toBeDefined();
  });

  it('B3 of one pool does not silence another', () => {
    alerts.tried(attempt(0), 0);
    expect(alerts.tried(attempt(0, { pool: 'disk' }), 1)).toBeDefined();
    expect(alerts.all().map(({ pool }) => pool)).toEqual(['host', 'disk']);
  });
});
