import type { Command, Notice, Participant } from '../transport.ts';
import type { RoomClient, RoomEntry, RoomError, RoomPerson } from './room-client.ts';
import type { CustomKind, MediaKind, SendTrack } from './track-kinds.ts';

export type View = Readonly<Record<string, unknown>>;
export type Answer = View;
/** Carries out one action of the wire. */
export type Handler = (command: Command) => Promise<Answer | undefined>;

/** What a connection reports. */
export interface LinkListener {
  /** A notice in the library's names. */
  notice(notice: Notice): void;
  /** The room has changed who the local participant is, or what they may do. */
  self(view: View): void;
  /** An owner asks to switch something; undefined members stay. */
  switched(wish: Readonly<Record<'audio' | 'video' | 'screen', unknown>>): void;
  /** The connection has ended, with the reason where there is one. */
  closed(fault?: RoomError): void;
}

/** What the local participant tells the room about themselves. */
export interface SelfReport {
  readonly sends?: readonly MediaKind[];
  /** The names of all custom tracks, by their places. */
  readonly custom?: Readonly<Partial<Record<CustomKind, string>>>;
  readonly userName?: string;
  readonly userData?: unknown;
}

/** The local participant after entering, and what else the room said then. */
export interface Entered {
  readonly person: RoomPerson;
  readonly view: View;
}

/** What a transport asks of the connection below a link; `RTCPeerConnection` has it. */
export interface LinkConnection extends Pick<RTCPeerConnection, 'connectionState' | 'getStats'> {
  onconnectionstatechange: ((this: never, event: never) => void) | null;
}

/** The connection to an assistant, or to a room with several people. */
export interface Link {
  readonly connection: LinkConnection;
  /** Enters. @throws RoomError */
  enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered>;
  /** All other participants, as they are now. */
  others(): Participant[];
  /** The sound of all other participants that is heard, by session. */
  sounds(): ReadonlyMap<string, MediaStreamTrack>;
  /** Sends a local track, or stops sending one. @throws NotSupportedError for a kind that cannot be sent */
  readonly put: SendTrack;
  sendMessage(data: unknown, to: string): Promise<void>;
  report(report: SelfReport): Promise<void>;
  /**
   * Changes another participant, or what is received from them. @throws NotSupportedError, Error when it is
   * refused
   */
  update(id: string, properties: View): Promise<void>;
  subscribeAutomatically(on: boolean): Promise<void>;
  close(): void;
}
