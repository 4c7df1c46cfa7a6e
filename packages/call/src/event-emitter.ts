/** Listeners by event name; one that throws is reported and does not keep the others from hearing. */
export class EventEmitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, ((event: never) => void)[]>();

  /** Calls `listener` at every `name` from now on. The same listener may be there twice. */
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

  /** Takes `listener` away from `name`. */
  off<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): this {
    const left = (this.#listeners.get(name) ?? []).filter((one) => one !== listener);
    this.#listeners.set(name, left);
    return this;
  }

  /** Takes every listener away, of one event or of all. */
  removeAllListeners(name?: keyof Events): this {
    if (name === undefined) this.#listeners.clear();
    else this.#listeners.delete(name);
    return this;
  }

  /** Tells everybody who listens to `name`, in the order in which they came. */
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
