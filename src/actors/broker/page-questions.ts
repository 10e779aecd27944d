/**
 * Those who ask for the page of an activity in the moments in which it is being made: they are answered when it is there, or
 * will not be. They hold deadlines of their own.
 */
import type { Reply } from '../../runtime/actor.js';
import type { Activity } from '../activity.js';
import type { FoundPage } from './protocol.js';

export class PageQuestions {
  readonly #asked = new Map<Activity, Reply[]>();

  ask(activity: Activity, reply: Reply): void {
    this.#asked.set(activity, [...(this.#asked.get(activity) ?? []), reply]);
  }

  answer(activity: Activity, found: FoundPage): void {
    const asked = this.#asked.get(activity) ?? [];
    this.#asked.delete(activity);
    for (const reply of asked) reply.resolve(found);
  }

  activities(): Activity[] {
    return [...this.#asked.keys()];
  }
}
