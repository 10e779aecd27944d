/**
 * The actors of a test by the names of their modules: those given as definitions, and modules that are imported before
 * anything is asked to start them, so that no start waits for a file.
 */
import type { Definition } from '../runtime/actor.js';
import { BadArgument } from '../runtime/errors.js';
import { importDefinition } from '../runtime/thread-actor.js';
import { type Wrapping, wrapped } from './wrapping.js';

/** An actor: its definition, or the URL of the module whose default export that is. */
export type Actor = Definition<never> | string;

export class Actors {
  readonly #definitions = new Map<string, Definition>();
  readonly #modules = new Map<Definition<never>, string>();
  readonly #wrappings: readonly Wrapping[];

  /** `wrappings`: put around each actor, the first innermost. */
  constructor(wrappings: readonly Wrapping[]) {
    this.#wrappings = wrappings;
  }

  /** The name of its module, by which threads find it. */
  async add(actor: Actor): Promise<string> {
    if (typeof actor === 'string') {
      if (!this.#definitions.has(actor)) this.#keep(actor, await importDefinition(actor));
      return actor;
    }
    const known = this.#modules.get(actor);
    if (known !== undefined) return known;
    const module = `test:${actor.kind}/${this.#modules.size + 1}`;
    this.#modules.set(actor, module);
    this.#keep(module, actor as Definition);
    return module;
  }

  /** What a thread loads. */
  readonly load = async (module: string): Promise<Definition> => {
    const definition = this.#definitions.get(module);
    if (definition !== undefined) return definition;
    throw new BadArgument({
      argument: 'module',
      value: module,
      expected: 'the module of an actor that the test has spawned before',
    });
  };

  #keep(module: string, definition: Definition): void {
    this.#definitions.set(module, this.#wrappings.reduce(wrapped, definition));
  }
}
