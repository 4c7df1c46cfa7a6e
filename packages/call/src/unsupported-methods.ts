import { NotSupportedError } from './not-supported.ts';
import { CUSTOM_TRACK_RULES, type CustomTrackInput } from './rules/custom-track.ts';
import { DIAL_OUT_RULES, type DialOutInput, DTMF_RULES } from './rules/dial-out.ts';
import { SHOW_NAMES_RULES } from './rules/input-settings.ts';
import { PLAYER_RULES, type PlayerInput } from './rules/remote-player.ts';
import { enforce, member } from './rules/rule.ts';
import { PLAYER_SIMULCAST_RULES } from './rules/sending.ts';
import { type MeetingState, requireState, type TimedMethod } from './states.ts';

/**
 * Methods whose media work comes later. Each one refuses the wrong state and the wrong input in the
 * contract's words, and then says that it cannot do the work. None of them pretends.
 */
export abstract class UnsupportedMethods {
  abstract meetingState(): MeetingState;

  /** Checks the state, then the input, then refuses; always a rejection, never a throw. */
  async #later(
    method: TimedMethod | string,
    timed: TimedMethod | undefined,
    validate?: () => void,
  ): Promise<never> {
    if (timed !== undefined) requireState(timed, this.meetingState());
    validate?.();
    throw new NotSupportedError(method);
  }

  startDialOut(options: DialOutInput): Promise<never> {
    return this.#later('startDialOut', 'startDialOut', () => enforce(DIAL_OUT_RULES, options));
  }

  stopDialOut(_options: { sessionId: string }): Promise<never> {
    return this.#later('stopDialOut', 'stopDialOut');
  }

  sendDTMF(options: DialOutInput): Promise<never> {
    return this.#later('sendDTMF', 'sendDTMF', () => enforce(DTMF_RULES, options));
  }

  startCustomTrack(input: CustomTrackInput): Promise<never> {
    return this.#later('startCustomTrack', 'startCustomTrack', () => enforce(CUSTOM_TRACK_RULES, input));
  }

  stopCustomTrack(_trackName: string): Promise<never> {
    return this.#later('stopCustomTrack', 'stopCustomTrack');
  }

  startRemoteMediaPlayer(input: PlayerInput): Promise<never> {
    return this.#later('startRemoteMediaPlayer', undefined, () => validatePlayer(input));
  }

  updateRemoteMediaPlayer(input: { session_id: string; settings: unknown }): Promise<never> {
    return this.#later('updateRemoteMediaPlayer', undefined, () =>
      validatePlayer({ url: '', settings: input.settings }),
    );
  }

  stopRemoteMediaPlayer(_sessionId: string): Promise<never> {
    return this.#later('stopRemoteMediaPlayer', undefined);
  }

  startRecording(_options?: unknown): Promise<never> {
    return this.#later('startRecording', undefined);
  }

  updateRecording(_options?: unknown): Promise<never> {
    return this.#later('updateRecording', undefined);
  }

  stopRecording(_options?: unknown): Promise<never> {
    return this.#later('stopRecording', undefined);
  }

  startCamera(_options?: unknown): Promise<never> {
    return this.#later('startCamera', 'startCamera');
  }

  preAuth(_options?: unknown): Promise<never> {
    return this.#later('preAuth', 'preAuth');
  }

  setNetworkTopology(_options: unknown): Promise<never> {
    return this.#later('setNetworkTopology', 'setNetworkTopology');
  }

  /** There is no prebuilt user interface, so this always throws; a wrong mode is logged before. */
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

function validatePlayer(input: PlayerInput): void {
  enforce(PLAYER_RULES, input);
  const layers = member(input.settings, 'simulcastEncodings');
  if (layers) enforce(PLAYER_SIMULCAST_RULES, layers);
}
