/** One line of the sample call. */
export interface SampleLine {
  readonly who: 'caller' | 'assistant';
  readonly text: string;
  /** When it begins, seconds from the beginning of the sound. */
  readonly at: number;
}

/** The answer of `GET /functions/v1/sample-call`. */
export interface SampleCall {
  readonly lines: readonly SampleLine[];
  readonly seconds: number;
  /** A WAVE file, 16 kHz mono, as base64. */
  readonly sound: string;
}
