import type { MediaState } from '@northline/telephone-audio/sound-session';
import type { CameraStream, MediaSession, RoomFault } from '../media-transport.server.ts';
import type { SentKind } from './media-kind.contract.ts';

/**
 * How many streams an offer to a room can receive, of sound and of pictures. They follow the eight sections
 * that the peer sends ({@link SentKind}). A slot carries whatever stream the room puts into it, so that
 * nothing is negotiated again.
 */
export interface RoomLayout {
  readonly audio: number;
  readonly video: number;
}

/** The assistant's id in a room. */
export const ASSISTANT = 'assistant';

/**
 * One stream to a receiver: who sends it, which of their kinds it is, and the receiver's slot that carries
 * it.
 */
export interface Route {
  readonly from: string;
  readonly kind: SentKind;
  readonly slot: number;
  /**
   * Which size of a picture that is sent in several, 0 the smallest; where it has fewer, the largest it has.
   */
  readonly layer?: number;
}

/**
 * The media of a room: forwards what people send, mixes it for the assistant, and decides who is speaking.
 */
export interface MediaRoom {
  readonly layout: RoomLayout;
  /** Prepares a person's connection; nothing is sent before their offer is answered. */
  enter(peerId: string): Promise<MediaPeer>;
  /**
   * The assistant's sound: it hears everybody, and is heard by those whose routes name it. There is one for
   * each room.
   */
  assistant(): Promise<RoomSound>;
  /**
   * Sound of somebody without a connection of their own, for example on a telephone. They hear everybody else
   * and the assistant, and are heard by those whose routes name them. Only a guest who sends `audio` can
   * become the speaker and be heard by the assistant.
   *
   * @param kind what they send
   * @throws ServiceError 503 `room_closed`
   */
  guest(guestId: string, kind?: SentKind): Promise<RoomSound>;
  /**
   * Silences a guest or lets them be heard again. Nobody hears a silent guest, who cannot become the speaker
   * either. Does nothing where there is no such guest.
   */
  silence(guestId: string, isSilent: boolean): void;
  /**
   * Calls the listener with everybody's microphone sound: mono, 16-bit, 16 000 samples a second, in order,
   * lost packets filled.
   */
  onVoice(listener: (peerId: string, pcm: Int16Array) => void): void;
  /**
   * Somebody's camera for a recording, without what they may not send; undefined for somebody without a
   * connection.
   */
  camera(peerId: string): CameraStream | undefined;
  /** Calls the listener each time the speaker changes. */
  onActiveSpeaker(listener: (peerId: string) => void): void;
  stats(): RoomStats;
  close(): Promise<void>;
}

/** One person's connection to a room. */
export interface MediaPeer {
  /**
   * Answers the peer's offer, once.
   *
   * @param offer SDP of at most 64 KiB, with the sections of the room's layout
   * @throws ServiceError 400 `bad_offer`, 409 `already_answered`
   */
  answer(offer: string): Promise<string>;
  /** Texts on the room's channel; texts of more than 64 KiB are dropped. */
  onText(listener: (text: string) => void): void;
  /** Returns false while the channel is not open. A peer that does not read its texts is closed. */
  send(text: string): boolean;
  /** Calls the listener when the channel opens: from then on `send` works. */
  onOpen(listener: () => void): void;
  /** Sets what the peer may send. Everything else is dropped, and so is what exceeds 8 Mbit in one second. */
  allow(kinds: ReadonlySet<SentKind>): void;
  /** Sets all the streams that the peer receives. */
  route(routes: readonly Route[]): void;
  onState(listener: (state: MediaState) => void): void;
  /** Ends the connection, and tells the peer why if it still listens. A second call does nothing. */
  close(fault?: RoomFault): Promise<void>;
}

/** The sound of the assistant, or of a guest, in a room; see {@link MediaSession}. */
export type RoomSound = Required<
  Pick<
    MediaSession,
    'onPcm16k' | 'onSent' | 'writePcm' | 'queuedMs' | 'hold' | 'flush' | 'playUnder' | 'stats'
  >
> & { close(): void };

/** What a room has forwarded. */
export interface RoomStats {
  readonly packetsReceived: number;
  readonly packetsForwarded: number;
  /** Packets that had no route, or came while a keyframe was awaited. */
  readonly packetsDropped: number;
  readonly keyframesRequested: number;
}
