/** Looks at a troupe now and then, in the midst of it all: what must hold of memory at any moment. */
import type { MemoryReport, Probe, Troupe } from '../../src/index.js';
import { addon } from '../native/fixtures.js';

export class Onlooker {
  readonly wrongs: string[] = [];
  /** Genes that left because memory was short. */
  genesRelieved = 0;
  largestBytes = 0;
  readonly #troupe: Troupe;

  constructor(troupe: Troupe) {
    this.#troupe = troupe;
    troupe.onProbe((probe) => this.#hear(probe));
  }

  async look(): Promise<MemoryReport> {
    const report = await this.#troupe.memory();
    const { bytes, ceiling } = addon.pages.usage();
    const { total, granted } = report.cells;
    this.#mustHold(bytes <= ceiling, `pages take ${bytes} bytes of ${ceiling}`);
    this.#mustHold(granted <= total, `${granted} cells of ${total} are granted`);
    for (const { name, tiers, heldBytes } of report.pools) {
      const leases = report.leases.filter(({ tier }) => tiers.includes(tier));
      const sum = leases.reduce((all, lease) => all + lease.bytes, 0);
      this.#mustHold(sum === heldBytes, `leases of the ${name} are ${sum} bytes, and it holds ${heldBytes}`);
    }
    this.#mustHold(report.quarantined.length === 0, `${report.quarantined} threw when asked for memory`);
    this.largestBytes = Math.max(this.largestBytes, process.memoryUsage.rss());
    return report;
  }

  #hear(probe: Probe): void {
    if (probe.name === 'genome.page' && probe.cause === 'relief') this.genesRelieved++;
    this.#mustHold(probe.name !== 'actor.crashed', `an actor crashed: ${JSON.stringify(probe)}`);
  }

  #mustHold(holds: boolean, what: string): void {
    if (!holds) this.wrongs.push(what);
  }
}
