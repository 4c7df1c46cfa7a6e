import { NotSupportedError } from './not-supported.ts';
import { SHOW_NAMES_RULES } from './rules/input-settings.ts';
import { type MeetingState, requireState, type TimedMethod } from './states.ts';

/**
 * Methods whose media work this library does not do (docs/call-library.md). Each refuses a wrong state or a
 * wrong input with the contract's words, and otherwise with NotSupportedError.
 */
export abstract class UnsupportedMethods {
  abstract meetingState(): MeetingState;

  /** Checks the state, then refuses; always by a rejection, never by a throw. */
  async #later(method: TimedMethod): Promise<never> {
    requireState(method, this.meetingState());
    throw new NotSupportedError(method);
  }

  startCamera(_options?: unknown): Promise<never> {
    return this.#later('startCamera');
  }

  setNetworkTopology(_options: unknown): Promise<never> {
    return this.#later('setNetworkTopology');
  }

  /** There is no prebuilt user interface, so this always throws; a wrong mode is logged first. */
  setShowNamesMode(mode: unknown): never {
    const broken = SHOW_NAMES_RULES.find((rule) => rule.broken(mode));
    if (broken !== undefined) console.error(broken.text);
    return this.#prebuiltOnly('setShowNamesMode');
  }

  setShowLocalVideo(_show?: unknown): never {
    return this.#prebuiltOnly('setShowLocalVideo');
  }

  setShowParticipantsBar(_show?: unknown): never {
    return this.#prebuiltOnly('setShowParticipantsBar');
  }

  setTheme(_theme?: unknown): never {
    return this.#prebuiltOnly('setTheme');
  }

  theme(): never {
    return this.#prebuiltOnly('theme');
  }

  showLocalVideo(): never {
    return this.#prebuiltOnly('showLocalVideo');
  }

  showParticipantsBar(): never {
    return this.#prebuiltOnly('showParticipantsBar');
  }

  customTrayButtons(): never {
    return this.#prebuiltOnly('customTrayButtons');
  }

  updateCustomTrayButtons(_buttons?: unknown): never {
    return this.#prebuiltOnly('updateCustomTrayButtons');
  }

  customIntegrations(): never {
    return this.#prebuiltOnly('customIntegrations');
  }

  setCustomIntegrations(_integrations?: unknown): never {
    return this.#prebuiltOnly('setCustomIntegrations');
  }

  startCustomIntegrations(_ids?: unknown): never {
    return this.#prebuiltOnly('startCustomIntegrations');
  }

  stopCustomIntegrations(_ids?: unknown): never {
    return this.#prebuiltOnly('stopCustomIntegrations');
  }

  #prebuiltOnly(method: TimedMethod): never {
    requireState(method, this.meetingState());
    throw new NotSupportedError(method);
  }
}
