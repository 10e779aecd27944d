/**
 * What was found in one run. A broken property breaks over and over: a few of each are kept.
 */
import type { Violation } from './subject.js';

const MOST_OF_ONE = 3;

export class Violations {
  readonly all: Violation[] = [];

  add(property: string, what: string): void {
    const known = this.all.filter((violation) => violation.property === property).length;
    if (known < MOST_OF_ONE) this.all.push({ property, what });
  }
}
