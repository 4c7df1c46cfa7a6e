import type { ModelRuntime } from '@northline/speech/model-runtime';
import type { ExpectedWords } from '../engines.server.ts';

/**
 * What the server sends to the recogniser's process. `stream` is a call, `utterance` one of its utterances;
 * sound is 16-bit mono, 16 000 samples a second.
 */
export type RecogniserRequest =
  /** A call begins: the language model's file and the phrases of its assistant. */
  | {
      readonly kind: 'open';
      readonly stream: number;
      readonly ownModel: string;
      readonly phrases: readonly string[];
    }
  | {
      readonly kind: 'begin';
      readonly stream: number;
      readonly utterance: number;
      readonly expected: ExpectedWords | undefined;
    }
  | { readonly kind: 'sound'; readonly stream: number; readonly pcm: Int16Array }
  /** The caller is quiet: the utterance may be over. */
  | { readonly kind: 'pause'; readonly stream: number }
  /** The caller goes on: it was not over. */
  | { readonly kind: 'resume'; readonly stream: number }
  | { readonly kind: 'end'; readonly stream: number }
  | { readonly kind: 'close'; readonly stream: number };

/** What the recogniser's process answers. One `heard` for each `end`. */
export type RecogniserReply =
  | { readonly kind: 'ready'; readonly runtime: ModelRuntime; readonly megabytes: number }
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'partial'; readonly stream: number; readonly utterance: number; readonly text: string }
  | {
      readonly kind: 'heard';
      readonly stream: number;
      readonly utterance: number;
      readonly text: string;
      readonly confidence: number;
    };
