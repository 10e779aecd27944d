/**
 * R7: each property that seeds of minds are held to is broken on purpose, and the checks find it.
 */
import { expect, test } from 'vitest';
import { run } from '../../src/testing/simulation/index.js';
import { PLANTS } from './minds-plants.js';
import { mindsSubject } from './minds-subject.js';
import { each, remove } from './planting.js';

const MESSAGES = 1_200;
/** Not every seed comes upon what is planted; one of the first does. */
const SEEDS = [2, 1, 3, 6, 8, 4, 5, 7, 9, 10, 11, 12, 13, 15, 17, 18, 20, 21, 23];

test.each(PLANTS)('R7 of minds: $fault', { timeout: 60_000 }, async ({ property, planted, faults = [] }) => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const { violations } = await run(mindsSubject(planted), { seed, faults, messages: MESSAGES });
    for (const violation of violations) found.add(violation.property);
    if (found.has(property)) break;
  }
  expect([...found]).toContain(property);
});

test.each([1, 3])(
  'E7 of minds: when one of %i messages with pieces is lost, turns say all that they say alone',
  async (of) => {
    let count = 0;
    const planted = each('pieces', (batch, at) => count++ % of === 0 && remove(batch, at));
    const trial = { seed: 2, faults: [], messages: MESSAGES };
    expect((await run(mindsSubject({ planted }), trial)).violations).toEqual([]);
    expect(count).toBeGreaterThan(100);
  },
);

test.each([1, 2, 3])(
  'R7 of minds: where nothing is planted nothing is found, as in seed %i',
  async (seed) => {
    for (const { faults = [] } of PLANTS.filter((plant, i) => i === 0 || plant.faults !== undefined)) {
      const { violations } = await run(mindsSubject(), { seed, faults, messages: MESSAGES });
      expect(violations).toEqual([]);
    }
  },
);
