/** A sentence for the speech worker. */
export interface SpeechRequest {
  readonly id: number;
  readonly voice: string;
  readonly text: string;
}

/** Its sound: 16-bit mono, 16 000 samples a second, silence at both ends trimmed; or why there is none. */
export type SpeechReply =
  | { readonly id: number; readonly pcm: Int16Array<ArrayBuffer> }
  | { readonly id: number; readonly failure: string };
