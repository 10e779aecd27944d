/** What each activity runs, and who will want a gene again (G6). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Phenotypes } from '../../../src/actors/residency/phenotypes.js';

describe('phenotypes of activities', () => {
  it('G6 a turn that is granted again is no new one, the next turn is', () => {
    const phenotypes = new Phenotypes();
    expect(phenotypes.run('7/a', 1, [1])).toBe(true);
    expect(phenotypes.run('7/a', 1, [1])).toBe(false);
    expect(phenotypes.run('7/b', 1, [1])).toBe(true);
    expect(phenotypes.run('7/a', 2, [1])).toBe(true);
  });

  it('G6 one that was known before a restart is of no turn that comes', () => {
    const phenotypes = new Phenotypes();
    phenotypes.run('7/a', undefined, [1]);
    expect(phenotypes.activities()).toEqual(['7/a']);
    expect(phenotypes.run('7/a', 1, [1])).toBe(true);
  });

  it('G6 a gene is wanted as long as any activity has it, as a list of all tells it', () => {
    const mind = fc.integer({ min: 1, max: 12 });
    const room = fc.constantFrom('a', 'b');
    const genes = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 });
    const step = fc.oneof(
      fc.record({ what: fc.constant('run'), mind, room, genes }),
      fc.record({ what: fc.constantFrom('bare', 'left'), mind, room, genes: fc.constant<number[]>([]) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const phenotypes = new Phenotypes();
        const model = new Map<string, readonly number[]>();
        for (const [turn, { what, mind: id, room: name, genes: ids }] of steps.entries()) {
          const activity = `${id}/${name}`;
          if (what === 'run') {
            phenotypes.run(activity, turn, ids);
            model.set(activity, ids);
          } else if (what === 'bare') {
            phenotypes.bare(activity);
            model.delete(activity);
          } else {
            const mine = [...model.keys()].filter((each) => each.startsWith(`${id}/`));
            expect(phenotypes.forget(id).sort()).toEqual(mine.sort());
            for (const each of mine) model.delete(each);
          }
          for (const [each, its] of model) expect(phenotypes.of(each)).toEqual(its);
          for (const gene of [1, 2, 3, 4]) {
            expect(phenotypes.wants(gene)).toBe([...model.values()].some((its) => its.includes(gene)));
          }
        }
      }),
    );
  });
});
