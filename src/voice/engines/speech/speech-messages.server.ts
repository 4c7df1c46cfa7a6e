/**
 * A sentence for the speech worker. The answer is its sound: 16-bit mono, 16 000 samples a second,
 * silence at both ends trimmed.
 */
export interface SpeechRequest {
  readonly voice: string;
  readonly text: string;
}
