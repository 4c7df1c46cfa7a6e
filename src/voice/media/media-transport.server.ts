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

/** Whether sound can flow. `closed` comes once and is the last. */
export type MediaState = 'connecting' | 'connected' | 'disconnected' | 'failed' | 'closed';

/** What went over the wire so far. */
export interface MediaStats {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  /** Packets that could not be used: not Opus, too late, or malformed. */
  readonly packetsRejected: number;
  readonly packetsSent: number;
  /** Frames sent more than 40 ms after their time. */
  readonly framesLate: number;
  /** How the line was; known of telephones, which report it (RTCP). */
  readonly quality?: LineQuality;
}

/** Loss, jitter and delay of a line, and what a listener thinks of it. */
export interface LineQuality {
  /** Packets that were not heard, of 100. */
  readonly lossPercent: number;
  /** Interarrival jitter (RFC 3550 §6.4.1), milliseconds. */
  readonly jitterMs: number;
  /** One way as far as it is known: half the round trip, a packet and the jitter buffer; milliseconds. */
  readonly delayMs: number;
  /** Mean opinion score, 1 to 4.41, by the E-model (ITU-T G.107). */
  readonly mos: number;
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

/** Sound that is heard under speech and silence: the next 20 ms of it, 320 samples, each time it is called. */
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
  /** Sound of the caller in order, lost packets filled: some 320 samples each time. */
  onPcm16k(listener: (pcm: Int16Array) => void): void;
  /** Every frame of 20 ms when it leaves for the caller, silence included; `speech` is what of it was queued. */
  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void;
  /** Queues sound to be played; between it silence is sent, so that no gap is heard. */
  writePcm(pcm: Int16Array): void;
  /** Milliseconds of queued sound that have not been sent yet. */
  queuedMs(): number;
  /** Silence at once; what is queued is kept until it is released or flushed. */
  hold(held: boolean): void;
  /** Drops what is queued at once, and ends a hold. Returns how many milliseconds were not played. */
  flush(): number;
  /** Plays a sound under everything from now on, or nothing more. */
  playUnder(sound: SoundUnder | undefined): void;
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
  onState(listener: (state: MediaState) => void): void;
  stats(): MediaStats;
  /** Lets go of everything; a second call does nothing. */
  close(): Promise<void>;
}
