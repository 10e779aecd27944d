import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeGenes } from '../../src/cli/genes.js';
import { folder, startTroupe } from '../face/stage.js';
import { troupe as command } from './run.js';

const KJV = fileURLToPath(new URL('../../models/parlour-tiny-gene-kjv-F16.gguf', import.meta.url));

describe('U2 troupe genes', { timeout: 120_000 }, () => {
  it('U2 shows the genes of a running troupe, where each is, and what was moved', async () => {
    using place = folder();
    const troupe = await startTroupe({ dir: place.path, genes: { slots: 3, hostBytes: 2 ** 20 } });
    const args = ['genes', '--dir', place.path];
    expect(await command(args)).toMatchObject({ code: 0, out: 'no gene is loaded\n' });
    await troupe.genes.load(KJV, { name: 'voice', learning: true });
    await troupe.genes.load(KJV.replace('kjv', 'melville'), { name: 'sea' });
    await troupe.genes.pageOut('sea');
    const { code, out } = await command(args);
    await troupe.stop();
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'gene   tier    size      rank  weights',
      'voice  device  68.0 KiB  8     14       learning',
      'sea    host    68.0 KiB  8     14',
      '',
      'device  1 of 3 slots, 68.0 KiB',
      'host    1 gene, 68.0 KiB of 1.0 MiB',
      'disk    0 genes',
      'moved   1 out, 0 in (0 on demand)',
      '        0 dropped to disk, 0 failed',
      '',
    ]);
  });

  it('U2 says how many genes are left out, and that there is no limit of slots', () => {
    const gene = { name: 'a', tier: 'device', bytes: 1, rank: 1, weights: 1, learning: false } as const;
    const stats = {
      ...{
        slots: null,
        hostLimitBytes: 1,
        deviceGenes: 3,
        deviceBytes: 3,
        hostGenes: 0,
        hostBytes: 0,
        diskGenes: 0,
      },
      ...{ pagedOut: 0, pagedIn: 0, pagedInOnDemand: 0, dropped: 0, failed: 0 },
    };
    const lines = describeGenes({ genes: [gene], more: 2, stats });
    expect(lines).toContain('and 2 more');
    expect(lines).toContain('device  3 genes, 3 B');
  });
});
