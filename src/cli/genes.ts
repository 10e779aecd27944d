/**
 * `troupe genes`: the genes of a running troupe, where each is, and what has been moved so far.
 */
import type { GenesSeen } from '../observer/genes.js';
import { type AttachOptions, attach } from './attach.js';
import { counted, size, whole } from './figures.js';
import { lined } from './table.js';

const HEADINGS = ['gene', 'tier', 'size', 'rank', 'weights', ''];

/** Answers the exit code. */
export async function genes(options: AttachOptions): Promise<number> {
  const client = await attach(options);
  try {
    process.stdout.write(`${describeGenes(await client.ask({ type: 'genes' })).join('\n')}\n`);
  } finally {
    client.close();
  }
  return 0;
}

export function describeGenes({ genes, more, stats }: GenesSeen): string[] {
  if (genes.length === 0) return ['no gene is loaded'];
  const rows = genes.map(({ name, tier, bytes, rank, weights, learning }) => [
    ...[name, tier, size(bytes), whole(rank), whole(weights), learning ? 'learning' : ''],
  ]);
  const { slots, deviceGenes, deviceBytes, hostGenes, hostBytes, hostLimitBytes, diskGenes } = stats;
  const device =
    slots === null ? counted(deviceGenes, 'gene') : `${whole(deviceGenes)} of ${counted(slots, 'slot')}`;
  const { pagedOut, pagedIn, pagedInOnDemand, dropped, failed } = stats;
  return [
    ...lined([HEADINGS, ...rows]),
    ...(more > 0 ? [`and ${whole(more)} more`] : []),
    '',
    ...lined([
      ['device', `${device}, ${size(deviceBytes)}`],
      ['host', `${counted(hostGenes, 'gene')}, ${size(hostBytes)} of ${size(hostLimitBytes)}`],
      ['disk', counted(diskGenes, 'gene')],
      ['moved', `${whole(pagedOut)} out, ${whole(pagedIn)} in (${whole(pagedInOnDemand)} on demand)`],
      ['', `${whole(dropped)} dropped to disk, ${whole(failed)} failed`],
    ]),
  ];
}
