/** Answers and questions of the console's functions about a call that goes on, and the sound of its socket. */

/** `POST operator-call-headset`: the address of a WebSocket, to be opened once within a minute. */
export interface HeadsetAddress {
  /** Names the headset when the call is taken over and given back. */
  readonly headset: string;
  readonly path: string;
}

/**
 * Sound in both directions: 16-bit samples, little-endian. To the operator both sides interleaved, the caller left and
 * the assistant (or who speaks in its place) right; from the operator mono, at most 512 samples at once.
 */
export const HEADSET_SOUND = { sampleRate: 16_000, frame: 320 } as const;

/** What the socket says in words, as JSON, beside the sound. */
export interface HeadsetMessage {
  /** `start` comes first; `given-back`: the assistant has the call again. */
  readonly type: 'start' | 'given-back';
}

/** Longest sentence for the assistant, characters. */
export const LONGEST_WORDS = 2000;

/** What `POST operator-direct-call` does. */
export type CallAct = 'say' | 'whisper' | 'take-over' | 'give-back';
