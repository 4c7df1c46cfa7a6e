import type { SoundSession } from '@northline/telephone-audio/sound-session';
import type { PictureFrame } from './picture-frames.server.ts';
import type { MediaRoom, RoomLayout } from './room/media-room.server.ts';

/** How a peer is reached (RFC 8445, RFC 8656); credentials only for TURN. */
export interface IceServer {
  readonly urls: string;
  readonly username?: string;
  readonly credential?: string;
}

/** Where the media of calls comes and goes. WebRTC in this process is one; a LiveKit room another. */
export interface MediaTransport {
  /** The STUN and TURN servers for the peer of a call. */
  peerServers(callId: string): readonly IceServer[];
  /** Loads what a first call needs, before it comes. */
  warm(): Promise<void>;
  /** Prepares one call; nothing is sent before `answer`. Without `camera` a picture that is offered is not taken. */
  createSession(callId: string, options?: { readonly camera?: boolean }): Promise<MediaSession>;
  /** Prepares a room in which people meet; see {@link MediaRoom}. */
  createRoom(layout: RoomLayout): Promise<MediaRoom>;
  close(): Promise<void>;
}

/** Why a room lets somebody go, in the call library's own types (docs/contracts/voice.md §2). */
export interface RoomFault {
  readonly type: 'ejected' | 'exp-room' | 'exp-token';
  readonly msg: string;
}

/** The camera of a call's caller. An assistant does not see: it is for the recording alone. */
export interface CameraStream {
  /** Tells whole frames, from one that stands alone on; undefined: nobody watches, and nothing is put together. */
  watch(listener: ((frame: PictureFrame) => void) | undefined): void;
  /** Tells nothing more before a frame that stands alone, which is asked for. */
  restart(): void;
}

/** What is said of the recording to the caller's end, in the call library's own names (docs/contracts/voice.md §8). */
export type RecordingNotice =
  | {
      readonly action: 'recording-started' | 'recording-stopped';
      readonly type: 'cloud';
      readonly recordingId: string;
    }
  | { readonly action: 'recording-error'; readonly type: 'cloud'; readonly errorMsg: string };

/** The media of one call: its sound, and what else is said over the connection. */
export interface MediaSession extends SoundSession {
  /**
   * Answers the peer's offer (RFC 3264), once.
   *
   * @param offer SDP of at most 64 KiB
   * @throws ServiceError 400 `bad_offer` when it is no offer for one Opus track
   */
  answer(offer: string): Promise<string>;
  /** App messages of the peer: texts of at most 4096 characters; longer ones never arrive. */
  onAppMessage(listener: (text: string) => void): void;
  /** False when the channel is not open (nothing was sent). */
  sendAppMessage(text: string): boolean;
  /** Says why the peer has to leave; false where it has no ear for that. */
  sendFault(fault: RoomFault): boolean;
  /** The caller's camera, where the session was made to take one. */
  readonly camera?: CameraStream | undefined;
  /** Texts of the caller's end about the call itself, at most 30 a second of 4096 characters; others never arrive. */
  onRoomText?(listener: (text: string) => void): void;
  /** False where the caller's end has no ear for that. */
  sendNotice?(notice: RecordingNotice): boolean;
}
