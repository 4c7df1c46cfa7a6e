/** Requests and answers of the console's functions about a call in progress, and the sound of its socket. */

/** `POST operator-call-headset`: the address of a WebSocket, which can be opened once and within a minute. */
export interface HeadsetAddress {
  /** Identifies the headset when the call is taken over and given back. */
  readonly headset: string;
  readonly path: string;
}

/**
 * Sound in both directions: 16-bit samples, little-endian. To the operator both sides are interleaved, the
 * caller left and the assistant (or a colleague in its place) right; from the operator it is mono, at most
 * 512 samples at once.
 */
export const HEADSET_SOUND = { sampleRate: 16_000, frame: 320 } as const;

/** Messages of the socket besides the sound, as JSON. */
export interface HeadsetMessage {
  /** `start` comes first; `given-back` means that the assistant has the call again. */
  readonly type: 'start' | 'given-back';
}

/** Longest sentence for the assistant, characters. */
export const LONGEST_WORDS = 2000;

/** The actions of `POST operator-direct-call`. */
export type CallAct = 'say' | 'whisper' | 'take-over' | 'give-back';
