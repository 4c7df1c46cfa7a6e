import {
  CAMERA_ERROR_TYPES,
  type CallEventName,
  type CallEvents,
  FATAL_ERROR_TYPES,
  type FatalErrorType,
  NONFATAL_ERROR_TYPES,
} from './call-events.ts';
import type { MeetingFacts } from './meeting-methods.ts';
import type { Roster } from './roster.ts';
import { isRecord, member } from './rules/rule.ts';
import type { MeetingState } from './states.ts';
import type { Notice, Participant } from './transport.ts';

/** The parts of a call that a notice can change. */
export interface NoticeTarget {
  readonly state: MeetingState;
  readonly roster: Roster;
  tell<Name extends CallEventName>(name: Name, event: CallEvents[Name]): void;
  joined(everybody: Readonly<Record<string, Participant>>): void;
  left(): void;
  fail(type: FatalErrorType, msg: string, details?: unknown): void;
  levels(levels: Readonly<Record<string, number>>): void;
  learn(facts: Partial<MeetingFacts>): void;
}

const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const oneOf = <Type extends string>(types: readonly Type[], value: unknown, otherwise: Type): Type =>
  types.find((type) => type === value) ?? otherwise;

/** A participant of the wire; undefined where the peer sent something else. */
function participantOf(value: unknown): Participant | undefined {
  if (!isRecord(value) || typeof value.session_id !== 'string' || value.session_id === '') return undefined;
  return {
    ...value,
    session_id: value.session_id,
    user_id: textOf(value.user_id, value.session_id),
    user_name: textOf(value.user_name, ''),
    local: value.local === true,
    audio: value.audio === true,
    video: value.video === true,
    tracks: isRecord(value.tracks) ? (value.tracks as Participant['tracks']) : {},
  };
}

/** The levels of a notice; values that are not numbers are left out. */
function levelsOf(value: unknown): Readonly<Record<string, number>> {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => Number.isFinite(entry[1])));
}

/**
 * Applies one notice of the wire (docs/contracts/voice.md §2.1). A peer is never trusted: a notice that makes
 * no sense, or that has no meaning in the present state, changes nothing.
 */
export function applyNotice(notice: Notice, call: NoticeTarget): void {
  if (call.state === 'left-meeting' || call.state === 'error' || call.state === 'new') return;
  const handler = Object.hasOwn(HANDLERS, notice.action) ? HANDLERS[notice.action] : undefined;
  handler?.(notice, call);
}

const HANDLERS: Readonly<Record<string, (notice: Notice, call: NoticeTarget) => void>> = {
  'joined-meeting': join,
  'participant-joined': put,
  'participant-updated': put,
  'participant-left': ({ participant, id }, call) => {
    const sessionId = textOf(member(participant, 'session_id') ?? id, '');
    for (const { name, event } of call.roster.remove(sessionId)) call.tell(name, event as never);
  },
  'app-message': ({ data, fromId }, call) => {
    if (call.state === 'joined-meeting') call.tell('app-message', { data, fromId: textOf(fromId, '') });
  },
  'remote-participants-audio-level': ({ participantsAudioLevel }, call) => {
    const levels = levelsOf(participantsAudioLevel);
    call.levels(levels);
    call.tell('remote-participants-audio-level', { participantsAudioLevel: levels });
  },
  'local-audio-level': ({ audioLevel }, call) => {
    if (Number.isFinite(audioLevel)) call.tell('local-audio-level', { audioLevel: Number(audioLevel) });
  },
  'participant-counts-updated': ({ participantCounts: told }, call) => {
    const [present, hidden] = [Number(member(told, 'present')), Number(member(told, 'hidden'))];
    if (!Number.isInteger(present) || !Number.isInteger(hidden)) return;
    const participantCounts = { present, hidden };
    call.learn({ participantCounts });
    call.tell('participant-counts-updated', { participantCounts });
  },
  'active-speaker-change': ({ activeSpeaker: told }, call) => {
    const peerId = member(told, 'peerId');
    if (typeof peerId !== 'string') return;
    call.learn({ activeSpeaker: { peerId } });
    call.tell('active-speaker-change', { activeSpeaker: { peerId } });
  },
  'access-state-updated': ({ access, awaitingAccess }, call) => {
    const accessState = { access, ...(awaitingAccess === undefined ? {} : { awaitingAccess }) };
    call.learn({ accessState });
    call.tell('access-state-updated', accessState);
  },
  'waiting-participant-added': wait,
  'waiting-participant-updated': wait,
  'waiting-participant-removed': wait,
  'receive-settings-updated': ({ receiveSettings: told }, call) => {
    if (!isRecord(told)) return;
    call.learn({ receiveSettings: told });
    call.tell('receive-settings-updated', { receiveSettings: told });
  },
  'send-settings-updated': ({ sendSettings: told }, call) => {
    if (!isRecord(told)) return;
    call.learn({ sendSettings: told });
    call.tell('send-settings-updated', { sendSettings: told });
  },
  'recording-started': ({ recordingId, startedBy, layout, type }, call) => {
    const told = Object.entries({ recordingId, startedBy, type }).filter(
      ([, value]) => typeof value === 'string',
    );
    const shown = isRecord(layout) ? { layout } : {};
    call.tell('recording-started', { ...Object.fromEntries(told), ...shown });
  },
  'recording-stopped': (_notice, call) => call.tell('recording-stopped', {}),
  'recording-error': ({ errorMsg }, call) =>
    call.tell('recording-error', { errorMsg: textOf(errorMsg, 'recording-error') }),
  'local-screen-share-started': (_notice, call) => call.tell('local-screen-share-started', {}),
  'local-screen-share-stopped': (_notice, call) => call.tell('local-screen-share-stopped', {}),
  'local-screen-share-canceled': (_notice, call) => call.tell('local-screen-share-canceled', {}),
  'input-settings-updated': ({ inputSettings }, call) =>
    call.tell('input-settings-updated', { inputSettings }),
  'transcription-started': ({ language, model, startedBy }, call) => {
    const told = {
      language: textOf(language, ''),
      model: textOf(model, ''),
      startedBy: textOf(startedBy, ''),
    };
    call.tell('transcription-started', told);
  },
  'transcription-stopped': ({ updatedBy }, call) =>
    call.tell('transcription-stopped', { updatedBy: textOf(updatedBy, '') }),
  'transcription-message': ({ participantId, text, timestamp, rawResponse }, call) => {
    if (typeof participantId !== 'string' || typeof text !== 'string') return;
    call.tell('transcription-message', { participantId, text, timestamp, rawResponse });
  },
  'transcription-error': ({ errorMsg }, call) =>
    call.tell('transcription-error', { errorMsg: textOf(errorMsg, 'transcription-error') }),
  'remote-media-player-started': play,
  'remote-media-player-updated': play,
  'remote-media-player-stopped': ({ session_id, updatedBy, reason }, call) =>
    call.tell('remote-media-player-stopped', {
      session_id: textOf(session_id, ''),
      updatedBy: textOf(updatedBy, ''),
      reason: textOf(reason, ''),
    }),
  'dialout-connected': ({ sessionId }, call) =>
    call.tell('dialout-connected', { sessionId: textOf(sessionId, '') }),
  'dialout-stopped': ({ sessionId }, call) =>
    call.tell('dialout-stopped', { sessionId: textOf(sessionId, '') }),
  'dialout-error': ({ sessionId, errorMsg }, call) =>
    call.tell('dialout-error', {
      sessionId: textOf(sessionId, ''),
      errorMsg: textOf(errorMsg, 'dialout-error'),
    }),
  'left-meeting': (_notice, call) => call.left(),
  error: ({ errorMsg, error }, call) => {
    const type = oneOf(FATAL_ERROR_TYPES, member(error, 'type'), 'connection-error');
    call.fail(type, textOf(member(error, 'msg') ?? errorMsg, type), member(error, 'details'));
  },
  'camera-error': ({ error }, call) => {
    const type = oneOf(CAMERA_ERROR_TYPES, member(error, 'type'), 'unknown');
    const msg = textOf(member(error, 'msg'), type);
    call.tell('camera-error', { errorMsg: { errorMsg: msg }, error: { type, msg } });
  },
  'nonfatal-error': ({ type, errorMsg }, call) => {
    const known = NONFATAL_ERROR_TYPES.find((one) => one === type);
    if (known !== undefined) call.tell('nonfatal-error', { type: known, errorMsg: textOf(errorMsg, known) });
  },
};

function play({ action, session_id, updatedBy, remoteMediaPlayerState }: Notice, call: NoticeTarget): void {
  const name = action === 'remote-media-player-started' ? action : 'remote-media-player-updated';
  const told = {
    session_id: textOf(session_id, ''),
    updatedBy: textOf(updatedBy, ''),
    remoteMediaPlayerState,
  };
  call.tell(name, told);
}

function wait({ action, participant, allWaitingParticipants: everybody }: Notice, call: NoticeTarget): void {
  const name = WAITING.find((one) => one === action);
  if (name === undefined || !isRecord(everybody)) return;
  call.learn({ waitingParticipants: everybody });
  call.tell(name, { participant });
}

const WAITING = [
  'waiting-participant-added',
  'waiting-participant-updated',
  'waiting-participant-removed',
] as const;

function join({ participants }: Notice, call: NoticeTarget): void {
  if (call.state !== 'joining-meeting') return;
  const everybody = Object.values(isRecord(participants) ? participants : {}).map(participantOf);
  const changes = everybody.flatMap((one) => (one === undefined ? [] : call.roster.put(one)));
  call.tell('joined-meeting', { participants: call.roster.all() });
  call.joined(call.roster.all());
  // Participants who were there before are announced as if they joined now, so that listeners need only one
  // event.
  for (const { name, event } of changes)
    if (name !== 'participant-joined' || !event.participant.local) call.tell(name, event as never);
}

function put({ participant }: Notice, call: NoticeTarget): void {
  const known = participantOf(participant);
  if (known === undefined) return;
  for (const { name, event } of call.roster.put(known)) call.tell(name, event as never);
}
