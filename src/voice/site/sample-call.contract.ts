/** One line of the sample call. */
export interface SampleLine {
  readonly who: 'caller' | 'assistant';
  readonly text: string;
  /** Seconds from the beginning of the sound at which it begins. */
  readonly at: number;
}

/** What `GET /functions/v1/sample-call` answers. */
export interface SampleCall {
  readonly lines: readonly SampleLine[];
  readonly seconds: number;
  /** A WAVE file of 16 kHz mono, base64. */
  readonly sound: string;
}
