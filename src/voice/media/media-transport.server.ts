import type { SoundSession } from '@northline/telephone-audio/sound-session';
import type { PictureFrame } from './picture-frames.server.ts';
import type { MediaRoom, RoomLayout } from './room/media-room.server.ts';

/** How a peer is reached (RFC 8445, RFC 8656); credentials only for TURN. */
export interface IceServer {
  readonly urls: string;
  readonly username?: string;
  readonly credential?: string;
}

/** Carries the media of calls: by WebRTC in this process, or through a LiveKit server. */
export interface MediaTransport {
  /** Who answers a caller's page: this process, with SDP, or LiveKit, to which the page connects with a token. */
  readonly answersWith: 'sdp' | 'livekit';
  /** @throws ServiceError 400 `bad_offer` when no session of this transport could answer the offer */
  requireOffer(offer: string): void;
  /** The STUN and TURN servers for the peer of a call. */
  peerServers(callId: string): readonly IceServer[];
  /** Loads what the first call needs, before it comes. */
  warm(): Promise<void>;
  /** Prepares one call; nothing is sent before `answer`. Without `camera` an offered picture is refused. */
  createSession(callId: string, options?: { readonly camera?: boolean }): Promise<MediaSession>;
  /** Prepares a room in which people meet; see {@link MediaRoom}. */
  createRoom(layout: RoomLayout): Promise<MediaRoom>;
  close(): Promise<void>;
}

/** Why somebody has to leave a room, in the call library's own types (docs/contracts/voice.md §2). */
export interface RoomFault {
  readonly type: 'ejected' | 'exp-room' | 'exp-token';
  readonly msg: string;
}

/** The camera of a call's caller. Assistants cannot see: the picture is for the recording alone. */
export interface CameraStream {
  /**
   * Calls the listener with whole frames, from a keyframe on. With undefined nobody watches, and no frames
   * are assembled.
   */
  watch(listener: ((frame: PictureFrame) => void) | undefined): void;
  /** Requests a keyframe, and passes on nothing until it comes. */
  restart(): void;
}

/**
 * What the caller's client is told about the recording, in the call library's own names
 * (docs/contracts/voice.md §8).
 */
export type RecordingNotice =
  | {
      readonly action: 'recording-started' | 'recording-stopped';
      readonly type: 'cloud';
      readonly recordingId: string;
    }
  | { readonly action: 'recording-error'; readonly type: 'cloud'; readonly errorMsg: string };

/** The media of one call: its sound, and the texts of the connection. */
export interface MediaSession extends SoundSession {
  /**
   * Answers the peer's offer (RFC 3264), once. With LiveKit the offer is empty, and the answer is LiveKit's address
   * with the caller's token.
   *
   * @param offer SDP of at most 64 KiB
   * @throws ServiceError 400 `bad_offer` when it is no offer for one Opus track
   */
  answer(offer: string): Promise<string>;
  /** App messages of the peer, texts of at most 4096 characters; longer ones are dropped. */
  onAppMessage(listener: (text: string) => void): void;
  /** Returns false when the channel is not open (then nothing was sent). */
  sendAppMessage(text: string): boolean;
  /** Tells the peer why it has to leave; false where it has no channel for that. */
  sendFault(fault: RoomFault): boolean;
  /** True where the caller writes and hears nothing. */
  readonly written?: boolean;
  /** The caller's camera, where the session accepts one. */
  readonly camera?: CameraStream | undefined;
  /**
   * Texts of the caller's client about the call itself: at most 30 a second, each of at most 4096 characters;
   * others are dropped.
   */
  onRoomText?(listener: (text: string) => void): void;
  /** Returns false where the caller's client has no channel for notices. */
  sendNotice?(notice: RecordingNotice): boolean;
}
