import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActorState } from '../../src/runtime/board.js';
import {
  isUnderWay,
  type LifeEvent,
  nextPhase,
  PHASE_NAMES,
  Phase,
  SHOWN,
} from '../../src/runtime/phases.js';

const EVENTS: readonly LifeEvent[] = ['start', 'started', 'down', 'idle', 'vanished', 'end'];

const live = (...events: LifeEvent[]): string =>
  PHASE_NAMES[events.reduce<Phase>((phase, event) => nextPhase(phase, event), Phase.placed)] as string;

test.each([
  ['starts', ['start', 'started'], 'running'],
  ['fails its first start', ['start', 'end'], 'ended'],
  ['is stopped before it has started', ['end'], 'ended'],
  ['crashes and is started again', ['start', 'started', 'down', 'started'], 'running'],
  ['crashes and ends before it is started again', ['start', 'started', 'down', 'end'], 'ended'],
  ['vanishes', ['start', 'started', 'idle', 'vanished'], 'passive'],
  ['comes back', ['start', 'started', 'idle', 'vanished', 'start', 'started'], 'running'],
  ['is stopped while it vanishes', ['start', 'started', 'idle', 'end'], 'ended'],
] as const)('R4 an actor that %s', (_what, events, phase) => {
  expect(live(...events)).toBe(phase);
});

test('R4 what cannot come in a phase is a defect that says so', () => {
  expect(() => nextPhase(Phase.passive, 'down')).toThrow('an actor that is passive cannot down');
  expect(() => nextPhase(Phase.starting, 'start')).toThrow('an actor that is starting cannot start');
});

test('R4 an end can come in every phase but one, and nothing follows it', () => {
  for (const phase of Object.values(Phase)) {
    if (phase !== Phase.ended) expect(nextPhase(phase, 'end')).toBe(Phase.ended);
    for (const event of EVENTS) expect(() => nextPhase(Phase.ended, event)).toThrow('is ended');
  }
});

test('R4 by any events that can come, an actor runs only from a start, and its end waits for what is under way', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 }), (events) => {
      let phase: Phase = Phase.placed;
      for (const event of events) {
        let next: Phase;
        try {
          next = nextPhase(phase, event);
        } catch {
          continue;
        }
        if (next === Phase.running) expect(phase).toBe(Phase.starting);
        if (phase === Phase.running) expect(isUnderWay(next)).toBe(event !== 'end');
        phase = next;
      }
      const shown = SHOWN[phase];
      expect(shown === ActorState.idle).toBe(phase === Phase.running || phase === Phase.vanishing);
    }),
  );
});
