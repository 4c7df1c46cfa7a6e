import type { ModelRuntime } from '@northline/speech/model-runtime';

/** What the server sends to the voice's process. `speech` is one text that is said. */
export type SpeechRequest =
  | {
      readonly kind: 'say';
      readonly speech: number;
      /** The folder of the voice. */
      readonly folder: string;
      readonly text: string;
      readonly speed: number;
      readonly pronunciations: Readonly<Record<string, string>>;
      /** True for a text that nobody waits for: it is made when there is nothing else to do. */
      readonly idle: boolean;
      /** Samples at the beginning that an earlier process has sent already. */
      readonly skip: number;
    }
  /** Nobody wants the rest of it. */
  | { readonly kind: 'stop'; readonly speech: number };

/** What the voice's process answers. Sound is 16-bit mono, 16 000 samples a second. */
export type SpeechReply =
  | { readonly kind: 'ready'; readonly runtime: ModelRuntime }
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'sound'; readonly speech: number; readonly pcm: Int16Array }
  /** The text was said to its end. */
  | { readonly kind: 'said'; readonly speech: number }
  | { readonly kind: 'failed'; readonly speech: number; readonly why: string };
