import type { MediaState } from '@northline/telephone-audio/sound-session';
import type { CameraStream, MediaSession, RoomFault } from '../media-transport.server.ts';
import type { SentKind } from './media-kind.contract.ts';

/**
 * What an offer to a room has: eight sections of what is sent ({@link SentKind}), then so many of sound and of pictures
 * to receive. A slot carries what the room puts there; nothing is ever negotiated again.
 */
export interface RoomLayout {
  readonly audio: number;
  readonly video: number;
}

/** Who the assistant is in a room. */
export const ASSISTANT = 'assistant';

/** One stream to a receiver: whose, which, and in which of the receiver's slots of its kind. */
export interface Route {
  readonly from: string;
  readonly kind: SentKind;
  readonly slot: number;
  /** Which size of a picture that is sent in several, 0 the smallest; the largest that there is where it has fewer. */
  readonly layer?: number;
}

/** The media of a room: forwards what people send, mixes it for the assistant, and says who speaks. */
export interface MediaRoom {
  readonly layout: RoomLayout;
  /** Prepares a place; nothing is sent before its offer is answered. */
  enter(peerId: string): Promise<MediaPeer>;
  /** The assistant's ear and mouth: it hears everybody, and is heard where a route says so. One for each room. */
  assistant(): Promise<RoomSound>;
  /**
   * Somebody without a connection of their own, as on a telephone: they hear everybody else and the assistant, and are
   * heard where a route says so. Only who sends `audio` may have the floor, and is heard by the assistant.
   *
   * @param kind what they send
   * @throws ServiceError 503 `room_closed`
   */
  guest(guestId: string, kind?: SentKind): Promise<RoomSound>;
  /** Whether a guest is heard by nobody, whatever comes of them: no route, no mix, and no floor. Nothing for who is none. */
  silence(guestId: string, isSilent: boolean): void;
  /** Told of everybody's sound, by microphone: mono, 16-bit, 16 000 samples a second, in order, lost packets filled. */
  onVoice(listener: (peerId: string, pcm: Int16Array) => void): void;
  /** Somebody's camera as a recording sees it, what they may not send left out; undefined for who has no connection. */
  camera(peerId: string): CameraStream | undefined;
  /** Told each time when somebody else has the floor. */
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
  /** Texts on the room's channel; one of more than 64 KiB never arrives. */
  onText(listener: (text: string) => void): void;
  /** False while the channel is not open. Who takes no more texts is closed. */
  send(text: string): boolean;
  /** The channel is open: from now on `send` works. */
  onOpen(listener: () => void): void;
  /** What the peer may send; everything else is dropped here, and what is more than 8 Mbit within a second. */
  allow(kinds: ReadonlySet<SentKind>): void;
  /** All that the peer gets from now on. */
  route(routes: readonly Route[]): void;
  onState(listener: (state: MediaState) => void): void;
  /** Says why, where that is heard, and ends the connection. A second call does nothing. */
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
  /** Not routed, or waiting for a frame that stands alone. */
  readonly packetsDropped: number;
  readonly keyframesRequested: number;
}
