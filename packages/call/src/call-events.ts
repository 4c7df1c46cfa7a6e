import type { MeetingState } from './states.ts';
import type { Participant } from './transport.ts';

/** Why a call cannot go on (docs/contracts/voice.md §2). */
export const FATAL_ERROR_TYPES = [
  'ejected',
  'nbf-room',
  'nbf-token',
  'exp-room',
  'exp-token',
  'no-room',
  'meeting-full',
  'end-of-life',
  'not-allowed',
  'connection-error',
] as const;

/** Why there is no camera or microphone (docs/contracts/voice.md §2). */
export const CAMERA_ERROR_TYPES = [
  'permissions',
  'not-found',
  'constraints',
  'cam-in-use',
  'mic-in-use',
  'cam-mic-in-use',
  'undefined-mediadevices',
  'unknown',
] as const;

/** What went wrong without ending the call (docs/contracts/voice.md §2). */
export const NONFATAL_ERROR_TYPES = [
  'input-settings-error',
  'screen-share-error',
  'local-audio-level-observer-error',
  'video-processor-error',
  'audio-processor-error',
  'remote-media-player-error',
  'live-streaming-warning',
  'meeting-session-data-error',
] as const;

/** The events of a recording. */
export const RECORDING_EVENTS = ['recording-started', 'recording-stopped', 'recording-error'] as const;

export type FatalErrorType = (typeof FATAL_ERROR_TYPES)[number];
export type CameraErrorType = (typeof CAMERA_ERROR_TYPES)[number];
export type NonfatalErrorType = (typeof NONFATAL_ERROR_TYPES)[number];

interface PlayerEvent {
  session_id: string;
  updatedBy: string;
  remoteMediaPlayerState: unknown;
}

/** The members of each event besides its name, which is in `action`. */
export interface CallEvents {
  loading: object;
  'load-attempt-failed': { errorMsg: string };
  loaded: object;
  'joining-meeting': object;
  'joined-meeting': { participants: Readonly<Record<string, Participant>> };
  'left-meeting': object;
  'call-instance-destroyed': object;
  'participant-joined': { participant: Participant };
  'participant-updated': { participant: Participant };
  'participant-left': { participant: Participant };
  'track-started': { participant: Participant; track: MediaStreamTrack; type: string };
  'track-stopped': { participant: Participant | null; track: MediaStreamTrack; type: string };
  'app-message': { data: unknown; fromId: string };
  'remote-participants-audio-level': { participantsAudioLevel: Readonly<Record<string, number>> };
  'local-audio-level': { audioLevel: number };
  'input-settings-updated': { inputSettings: unknown };
  'participant-counts-updated': { participantCounts: { present: number; hidden: number } };
  'active-speaker-change': { activeSpeaker: { peerId?: string } };
  'access-state-updated': { access: unknown; awaitingAccess?: unknown };
  'waiting-participant-added': { participant: unknown };
  'waiting-participant-updated': { participant: unknown };
  'waiting-participant-removed': { participant: unknown };
  'receive-settings-updated': { receiveSettings: Readonly<Record<string, unknown>> };
  'send-settings-updated': { sendSettings: Readonly<Record<string, unknown>> };
  'local-screen-share-started': object;
  'local-screen-share-stopped': object;
  'local-screen-share-canceled': object;
  'transcription-started': { language: string; model: string; startedBy: string };
  'transcription-stopped': { updatedBy: string };
  'transcription-message': { participantId: string; text: string; timestamp: unknown; rawResponse: unknown };
  'transcription-error': { errorMsg: string };
  'remote-media-player-started': PlayerEvent;
  'remote-media-player-updated': PlayerEvent;
  'remote-media-player-stopped': { session_id: string; updatedBy: string; reason: string };
  'dialout-connected': { sessionId: string };
  'dialout-stopped': { sessionId: string };
  'dialout-error': { sessionId: string; errorMsg: string };
  /** In a room it also says which recording it is, who began it, and its layout. */
  'recording-started': {
    readonly recordingId?: string;
    readonly startedBy?: string;
    readonly type?: string;
    readonly layout?: object;
  };
  'recording-stopped': object;
  'recording-error': { errorMsg: string };
  error: { errorMsg: string; error: { type: FatalErrorType; msg: string; details?: unknown } };
  'camera-error': { errorMsg: { errorMsg: string }; error: { type: CameraErrorType; msg: string } };
  'nonfatal-error': { type: NonfatalErrorType; errorMsg: string };
}

export type CallEventName = keyof CallEvents;
/** An event as a listener gets it. */
export type CallEvent<Name extends CallEventName> = { readonly action: Name } & Readonly<CallEvents[Name]>;

/** The state of the meeting that an event brings, if it brings one. Names and order are the contract's. */
export const STATE_OF_EVENT: Partial<Record<CallEventName, MeetingState>> = {
  loading: 'loading',
  loaded: 'loaded',
  'joining-meeting': 'joining-meeting',
  'joined-meeting': 'joined-meeting',
  'left-meeting': 'left-meeting',
  error: 'error',
};
