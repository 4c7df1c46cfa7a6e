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

/** Sound that is heard under speech and silence: the next 20 ms of it, 320 samples, each time it is called. */
export type SoundUnder = () => Int16Array;

/** The sound of one call: mono, 16-bit, 16 000 samples a second in both directions. */
export interface SoundSession {
  /** Sound of the other side in order, lost packets filled: some 320 samples each time. */
  onPcm16k(listener: (pcm: Int16Array) => void): void;
  /** Every frame of 20 ms when it leaves, silence included; `speech` is what of it was queued. */
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
  onState(listener: (state: MediaState) => void): void;
  stats(): MediaStats;
  /** Lets go of everything; a second call does nothing. */
  close(): Promise<void>;
}
