/** Somebody in the call, in the wire's own names (docs/contracts/voice.md §2.1). */
export interface Participant {
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly local: boolean;
  /** Whether they joined with an owner's token. */
  readonly owner?: boolean;
  readonly audio: boolean;
  readonly video: boolean;
  readonly userData?: unknown;
  readonly tracks: Readonly<Record<string, ParticipantTrack>>;
}

/** One track of a participant; `persistentTrack` is set while its state is `playable`. */
export interface ParticipantTrack {
  readonly state: 'playable' | 'loading' | 'off' | 'blocked' | 'interrupted' | 'sendable';
  readonly subscribed?: boolean;
  /** The reasons why it is off. */
  readonly off?: Readonly<Record<string, unknown>>;
  readonly persistentTrack?: MediaStreamTrack;
  /** Set for a track that its page has named, since the name does not tell the kind. */
  readonly kind?: 'audio' | 'video';
}

/**
 * A request of the library to its transport: an action of the wire and its members (docs/contracts/voice.md
 * §2.1).
 */
export interface Command {
  readonly action: string;
  readonly [member: string]: unknown;
}

/** A message of the transport to the library: an action of the wire and its members. */
export interface Notice {
  readonly action: string;
  readonly [member: string]: unknown;
}

/**
 * The only connection between the library and a network; WebRTC is one transport, a test's own another.
 * Notices are delivered in tasks of their own, never within `request`.
 */
export interface CallTransport {
  /** Prepares joining. A rejection is one failed attempt and may be followed by another call. */
  load(): Promise<void>;
  /** Carries out a command. Resolves with the members of the wire's reply; a refusal rejects. */
  request(command: Command): Promise<Readonly<Record<string, unknown>>>;
  /** Releases everything at once; no notice comes after it. */
  close(): void;
}

/** Opens a transport that passes its notices to `onNotice`. */
export type OpenTransport = (onNotice: (notice: Notice) => void) => CallTransport;
