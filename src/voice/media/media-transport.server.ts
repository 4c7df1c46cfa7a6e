import type { PictureFrame } from './picture-frames.server.ts';
import type { MediaRoom, RoomLayout } from './room/media-room.server.ts';

/** How a peer is reached (RFC 8445, RFC 8656); credentials only for TURN. */
export interface IceServer {
  readonly urls: string;
  readonly username?: string;
  readonly credential?: string;
}

/** Carries the media of calls. WebRTC in this process is one transport; a LiveKit room could be another. */
export interface MediaTransport {
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

/** Whether sound can flow. `closed` comes once, as the last state. */
export type MediaState = 'connecting' | 'connected' | 'disconnected' | 'failed' | 'closed';

/** What has been received and sent so far. */
export interface MediaStats {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  /** Packets that could not be used: not Opus, too late, or malformed. */
  readonly packetsRejected: number;
  readonly packetsSent: number;
  /** Frames sent more than 40 ms after their time. */
  readonly framesLate: number;
  /** How good the connection was; known for telephones, which report it (RTCP). */
  readonly quality?: LineQuality;
}

/** Loss, jitter and delay of a connection, and how a listener would rate it. */
export interface LineQuality {
  /** Percentage of packets that were not heard. */
  readonly lossPercent: number;
  /** Interarrival jitter (RFC 3550 §6.4.1), milliseconds. */
  readonly jitterMs: number;
  /**
   * One-way delay as far as it is known: half the round trip, one packet and the jitter buffer; milliseconds.
   */
  readonly delayMs: number;
  /** Mean opinion score, 1 to 4.41, by the E-model (ITU-T G.107). */
  readonly mos: number;
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
  /** Passes on nothing before the next keyframe, which is requested. */
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

/** A sound that plays under speech and silence: each call returns its next 20 ms, 320 samples. */
export type SoundUnder = () => Int16Array;

/** The media of one call: mono 16-bit sound of 16 000 samples a second in both directions. */
export interface MediaSession {
  /**
   * Answers the peer's offer (RFC 3264), once.
   *
   * @param offer SDP of at most 64 KiB
   * @throws ServiceError 400 `bad_offer` when it is no offer for one Opus track
   */
  answer(offer: string): Promise<string>;
  /** Sound of the caller in order, with lost packets filled; usually 320 samples at a time. */
  onPcm16k(listener: (pcm: Int16Array) => void): void;
  /**
   * Every frame of 20 ms as it is sent to the caller, silence included; `speech` is the queued part of it.
   */
  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void;
  /** Queues sound to be played; between pieces silence is sent, so that the stream has no gap. */
  writePcm(pcm: Int16Array): void;
  /** Milliseconds of queued sound that have not been sent yet. */
  queuedMs(): number;
  /** Sends silence at once; the queue stays until it is released or flushed. */
  hold(held: boolean): void;
  /** Drops the queue at once and ends a hold. Returns how many milliseconds were not played. */
  flush(): number;
  /** Plays a sound under everything from now on; undefined ends it. */
  playUnder(sound: SoundUnder | undefined): void;
  /** App messages of the peer, texts of at most 4096 characters; longer ones are dropped. */
  onAppMessage(listener: (text: string) => void): void;
  /** Returns false when the channel is not open (then nothing was sent). */
  sendAppMessage(text: string): boolean;
  /** Tells the peer why it has to leave; false where it has no channel for that. */
  sendFault(fault: RoomFault): boolean;
  /** The caller's camera, where the session accepts one. */
  readonly camera?: CameraStream | undefined;
  /**
   * Texts of the caller's client about the call itself: at most 30 a second, each of at most 4096 characters;
   * others are dropped.
   */
  onRoomText?(listener: (text: string) => void): void;
  /** Returns false where the caller's client has no channel for notices. */
  sendNotice?(notice: RecordingNotice): boolean;
  onState(listener: (state: MediaState) => void): void;
  stats(): MediaStats;
  /** Releases everything; a second call does nothing. */
  close(): Promise<void>;
}
