/** Listeners by event name. An error in one is reported and does not keep the others from being called. */
export class EventEmitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, ((event: never) => void)[]>();

  /** Calls `listener` at every `name` from now on. The same listener may be added twice. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): this {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  /** Calls `listener` at the next `name` only. */
  once<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): this {
    const single = (event: Events[Name]): void => {
      this.off(name, single);
      listener(event);
    };
    return this.on(name, single);
  }

  /** Removes `listener` from `name`. */
  off<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): this {
    const left = (this.#listeners.get(name) ?? []).filter((one) => one !== listener);
    this.#listeners.set(name, left);
    return this;
  }

  /** Removes all listeners, of one event or of all. */
  removeAllListeners(name?: keyof Events): this {
    if (name === undefined) this.#listeners.clear();
    else this.#listeners.delete(name);
    return this;
  }

  /** Calls the listeners of `name`, in the order in which they were added. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as (event: Events[Name]) => void)(event);
      } catch (error) {
        console.error(`A listener of '${String(name)}' failed:`, error);
      }
    }
  }
}
