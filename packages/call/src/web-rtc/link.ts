import type { Command, Notice, Participant } from '../transport.ts';
import type { CustomKind, MediaKind, SendTrack } from './own-media.ts';
import type { RoomClient, RoomEntry, RoomError, RoomPerson } from './room-client.ts';

export type View = Readonly<Record<string, unknown>>;
export type Answer = View;
/** Carries out one action of the wire. */
export type Handler = (command: Command) => Promise<Answer | undefined>;

/** What whoever one is connected to does to one. */
export interface LinkListener {
  /** A notice in the library's names. */
  notice(notice: Notice): void;
  /** The room says otherwise than before who one is and what one may do. */
  self(view: View): void;
  /** An owner asks to switch something; undefined for what stays. */
  switched(wish: Readonly<Record<'audio' | 'video' | 'screen', unknown>>): void;
  /** It is over, with the reason where there is one. */
  closed(fault?: RoomError): void;
}

/** What one tells of oneself. */
export interface SelfReport {
  readonly sends?: readonly MediaKind[];
  /** The names of all own tracks that have one, by their places. */
  readonly custom?: Readonly<Partial<Record<CustomKind, string>>>;
  readonly userName?: string;
  readonly userData?: unknown;
}

/** Who one is after entering, and what else was said then. */
export interface Entered {
  readonly person: RoomPerson;
  readonly view: View;
}

/** The connection to an assistant, or to a room with several people. */
export interface Link {
  readonly connection: RTCPeerConnection;
  /** Enters. @throws RoomError */
  enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered>;
  /** Everybody else, as they are now. */
  others(): Participant[];
  /** The sound of everybody else that is heard, by their sessions. */
  sounds(): ReadonlyMap<string, MediaStreamTrack>;
  /** Puts an own track on the wire, or takes it off. @throws NotSupportedError for a kind that is not taken */
  readonly put: SendTrack;
  sendMessage(data: unknown, to: string): Promise<void>;
  report(report: SelfReport): Promise<void>;
  /** Changes somebody else, or what one gets of them. @throws NotSupportedError, Error when it is refused */
  update(id: string, properties: View): Promise<void>;
  subscribeAutomatically(on: boolean): Promise<void>;
  close(): void;
}
