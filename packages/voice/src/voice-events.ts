/** The arguments of the listeners of each event. */
export interface VoiceEvents {
  'call-start': [];
  'call-end': [];
  'speech-start': [];
  'speech-end': [];
  'volume-level': [volume: number];
  message: [message: unknown];
  video: [track: MediaStreamTrack];
  error: [error: unknown];
}

export type VoiceEventName = keyof VoiceEvents;
export type VoiceListener<Name extends VoiceEventName> = (...values: VoiceEvents[Name]) => void;

/** Listeners by event name. An error in one is reported, and the others are still called. */
export class VoiceEmitter {
  readonly #listeners = new Map<VoiceEventName, VoiceListener<VoiceEventName>[]>();

  on<Name extends VoiceEventName>(name: Name, listener: VoiceListener<Name>): this {
    const added = listener as VoiceListener<VoiceEventName>;
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), added]);
    return this;
  }

  once<Name extends VoiceEventName>(name: Name, listener: VoiceListener<Name>): this {
    const single: VoiceListener<Name> = (...values) => {
      this.removeListener(name, single);
      listener(...values);
    };
    return this.on(name, single);
  }

  removeListener<Name extends VoiceEventName>(name: Name, listener: VoiceListener<Name>): this {
    const left = (this.#listeners.get(name) ?? []).filter((one) => one !== listener);
    this.#listeners.set(name, left);
    return this;
  }

  off<Name extends VoiceEventName>(name: Name, listener: VoiceListener<Name>): this {
    return this.removeListener(name, listener);
  }

  removeAllListeners(name?: VoiceEventName): this {
    if (name === undefined) this.#listeners.clear();
    else this.#listeners.delete(name);
    return this;
  }

  protected emit<Name extends VoiceEventName>(name: Name, ...values: VoiceEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as (...values: unknown[]) => void)(...values);
      } catch (error) {
        console.error(`A listener of '${name}' failed:`, error);
      }
    }
  }
}
