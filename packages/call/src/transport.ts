/** Somebody in the call, in the wire's own names (docs/contracts/voice.md §2.1). */
export interface Participant {
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly local: boolean;
  /** Whether they came with an owner's token. */
  readonly owner?: boolean;
  readonly audio: boolean;
  readonly video: boolean;
  readonly userData?: unknown;
  readonly tracks: Readonly<Record<string, ParticipantTrack>>;
}

/** One track of a participant; `persistentTrack` is there while its state is `playable`. */
export interface ParticipantTrack {
  readonly state: 'playable' | 'loading' | 'off' | 'blocked' | 'interrupted' | 'sendable';
  readonly subscribed?: boolean;
  /** Why it is off, where it is. */
  readonly off?: Readonly<Record<string, unknown>>;
  readonly persistentTrack?: MediaStreamTrack;
  /** Of a track that its page has named: the name does not say it. */
  readonly kind?: 'audio' | 'video';
}

/** What the library asks of its transport: an action of the wire and its members (docs/contracts/voice.md §2.1). */
export interface Command {
  readonly action: string;
  readonly [member: string]: unknown;
}

/** What a transport sends to the library without a request: an action of the wire and its members. */
export interface Notice {
  readonly action: string;
  readonly [member: string]: unknown;
}

/**
 * The one thing between the library and a network. WebRTC is one of them; a test's own is another.
 * Every notice is delivered in a task of its own, never from within `request`.
 */
export interface CallTransport {
  /** Gets ready to join. A rejection is one failed attempt and may be followed by another call. */
  load(): Promise<void>;
  /** Carries out a command. The answer has the members that the wire's reply has; a refusal rejects. */
  request(command: Command): Promise<Readonly<Record<string, unknown>>>;
  /** Lets go of everything at once; no notice comes after it. */
  close(): void;
}

/** Opens a transport that passes its notices to `onNotice`. */
export type OpenTransport = (onNotice: (notice: Notice) => void) => CallTransport;
