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

/** A sound that plays under speech and silence: each call returns its next 20 ms, 320 samples. */
export type SoundUnder = () => Int16Array;

/** The sound of one call: mono, 16-bit, 16 000 samples a second in both directions. */
export interface SoundSession {
  /** Sound of the other side in order, with lost packets filled; usually 320 samples at a time. */
  onPcm16k(listener: (pcm: Int16Array) => void): void;
  /** Every frame of 20 ms as it is sent, silence included; `speech` is the queued part of it. */
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
  onState(listener: (state: MediaState) => void): void;
  stats(): MediaStats;
  /** Releases everything; a second call does nothing. */
  close(): Promise<void>;
}
