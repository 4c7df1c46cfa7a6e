/**
 * States of a meeting under their wire names (docs/contracts/voice.md §2; docs/specification/platform.md §4 has the
 * short ones).
 */
export type MeetingState =
  | 'new'
  | 'loading'
  | 'loaded'
  | 'joining-meeting'
  | 'joined-meeting'
  | 'left-meeting'
  | 'error';

/** When a method may be called. */
export type Requirement = 'after join' | 'before join' | 'prebuilt';

const BEFORE_CAMERA = 'Did you mean to use setLocalAudio() and/or setLocalVideo() instead?';
const SUBSCRIPTION = 'Use the subscribeToTracksAutomatically configuration property.';
const RECEIVING = 'To specify receive settings earlier, use the receiveSettings config property.';

/** The methods that are limited to some states, each with a further hint where the contract has one. */
export const METHOD_REQUIREMENTS = {
  sendAppMessage: { needs: 'after join' },
  sendDTMF: { needs: 'after join' },
  startDialOut: { needs: 'after join' },
  stopDialOut: { needs: 'after join' },
  startCustomTrack: { needs: 'after join' },
  stopCustomTrack: { needs: 'after join' },
  setNetworkTopology: { needs: 'after join' },
  setSubscribeToTracksAutomatically: { needs: 'after join', hint: SUBSCRIPTION },
  updateReceiveSettings: { needs: 'after join', hint: RECEIVING },
  updateWaitingParticipant: { needs: 'after join' },
  updateWaitingParticipants: { needs: 'after join' },
  requestAccess: { needs: 'after join' },
  preAuth: { needs: 'before join' },
  startCamera: { needs: 'before join', hint: BEFORE_CAMERA },
  setShowNamesMode: { needs: 'prebuilt' },
  setShowLocalVideo: { needs: 'prebuilt' },
  setShowParticipantsBar: { needs: 'prebuilt' },
  setTheme: { needs: 'prebuilt' },
  theme: { needs: 'prebuilt' },
  showLocalVideo: { needs: 'prebuilt' },
  showParticipantsBar: { needs: 'prebuilt' },
  customTrayButtons: { needs: 'prebuilt' },
  updateCustomTrayButtons: { needs: 'prebuilt' },
  customIntegrations: { needs: 'prebuilt' },
  setCustomIntegrations: { needs: 'prebuilt' },
  startCustomIntegrations: { needs: 'prebuilt' },
  stopCustomIntegrations: { needs: 'prebuilt' },
} as const satisfies Record<string, { needs: Requirement; hint?: string }>;

export type TimedMethod = keyof typeof METHOD_REQUIREMENTS;

const joinedOrJoining = (state: MeetingState): boolean =>
  state === 'joining-meeting' || state === 'joined-meeting';

/** The exact words with which `method` refuses to run in `state`; undefined where it may run. */
export function refusal(method: TimedMethod, state: MeetingState): string | undefined {
  const rule: { needs: Requirement; hint?: string } = METHOD_REQUIREMENTS[method];
  const hint = rule.hint === undefined ? '' : ` ${rule.hint}`;
  if (rule.needs === 'after join')
    return state === 'joined-meeting' ? undefined : `${method}() only supported after join.${hint}`;
  if (rule.needs === 'before join')
    return joinedOrJoining(state) ? `${method}() not supported after joining a meeting.${hint}` : undefined;
  return `${method}() is only supported as part of Daily's Prebuilt`;
}

/** Throws where `method` may not run in `state`, and logs it. @throws Error with the contract's words */
export function requireState(method: TimedMethod, state: MeetingState): void {
  const text = refusal(method, state);
  if (text === undefined) return;
  console.error(text);
  throw new Error(text);
}
