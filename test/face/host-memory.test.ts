/** What the system and control groups leave, from the files that they say it in. */
import { describe, expect, it } from 'vitest';
import { availableMemory, groupRoom } from '../../src/host-memory.js';

const NONE = '9223372036854771712';
const room = (files: Record<string, string>): number => groupRoom((path) => files[path]);

describe('memory that control groups leave', () => {
  it.each([
    ['no control groups', {}, Number.POSITIVE_INFINITY],
    [
      'version 2: the limit less what is used',
      {
        '/proc/self/cgroup': '0::/box\n',
        '/sys/fs/cgroup/box/memory.max': '1000\n',
        '/sys/fs/cgroup/box/memory.high': 'max\n',
        '/sys/fs/cgroup/box/memory.current': '300\n',
      },
      700,
    ],
    [
      'version 2: the softer limit',
      {
        '/proc/self/cgroup': '0::/box',
        '/sys/fs/cgroup/box/memory.max': '1000',
        '/sys/fs/cgroup/box/memory.high': '800',
        '/sys/fs/cgroup/box/memory.current': '300',
      },
      500,
    ],
    [
      'version 2: what is cached from files counts as free',
      {
        '/proc/self/cgroup': '0::/box',
        '/sys/fs/cgroup/box/memory.max': '1000',
        '/sys/fs/cgroup/box/memory.current': '600',
        '/sys/fs/cgroup/box/memory.stat': 'anon 100\ninactive_file 250\nactive_file 250\n',
      },
      650,
    ],
    [
      'version 2: a group further up',
      {
        '/proc/self/cgroup': '0::/outer/inner',
        '/sys/fs/cgroup/outer/inner/memory.max': 'max',
        '/sys/fs/cgroup/outer/memory.max': '400',
        '/sys/fs/cgroup/outer/memory.current': '500',
      },
      0,
    ],
    [
      'version 2: the group of a namespace',
      {
        '/proc/self/cgroup': '0::/',
        '/sys/fs/cgroup/memory.max': '900',
        '/sys/fs/cgroup/memory.current': '100',
      },
      800,
    ],
    [
      'version 1',
      {
        '/proc/self/cgroup': '5:cpu,cpuacct:/\n4:memory:/box\n1:name=systemd:/\n',
        '/sys/fs/cgroup/memory/box/memory.limit_in_bytes': '1000',
        '/sys/fs/cgroup/memory/box/memory.usage_in_bytes': '600',
        '/sys/fs/cgroup/memory/box/memory.stat': 'inactive_file 10\ntotal_inactive_file 100\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': NONE,
      },
      500,
    ],
  ])('B2 %s', (_, files, bytes) => expect(room(files as Record<string, string>)).toBe(bytes));

  it('B2 is never more than the system has', () => {
    const available = availableMemory();
    expect(available).toBeGreaterThan(0);
    expect(available).toBeLessThan(2 ** 50);
  });
});
