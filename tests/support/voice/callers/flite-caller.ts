import path from 'node:path';
import { spokenText } from '@northline/speech/spoken-text';
import { createThreadClient } from '../../../../src/kernel/concurrency/worker-client.server.ts';

/** Voices of callers: a woman, two men and a Scottish man. */
export const CALLER_VOICES = ['slt', 'rms', 'kal16', 'awb'] as const;

/** A voice of a caller. */
export type CallerVoice = (typeof CALLER_VOICES)[number];

/** A sentence for the caller's worker; the answer is its sound, 16 000 samples a second. */
export interface CallerSentence {
  readonly voice: string;
  readonly text: string;
}

/** People who call, in voices that are not the product's (Flite). */
export interface Callers {
  /** A sentence as 16-bit mono sound, 16 000 samples a second, silence at both ends trimmed. */
  say(sentence: string, voice?: CallerVoice): Promise<Int16Array>;
  close(): Promise<void>;
}

const ENTRY = path.join(import.meta.dirname, 'flite-process.ts');

/** The worker starts with the first sentence and stays until `close`. */
export function openCallers(): Callers {
  const worker = createThreadClient<CallerSentence, Int16Array>(ENTRY);
  return {
    async say(sentence, voice = 'rms') {
      // The worker does not keep a process alive; this timer does.
      const awake = setInterval(() => {}, 60_000);
      try {
        return await worker.ask({ voice, text: spokenText(sentence) });
      } finally {
        clearInterval(awake);
      }
    },
    close: () => worker.close(),
  };
}
