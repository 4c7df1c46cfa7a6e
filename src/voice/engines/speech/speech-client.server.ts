import path from 'node:path';
import { PROJECT_ROOT } from '../../../config/project-root.ts';
import { askWorker } from '../ask-worker.server.ts';
import type { TtsStream } from '../engines.server.ts';
import { sayAloud } from './say-aloud.server.ts';
import type { SpeechRequest } from './speech-messages.server.ts';
import { splitSentence } from './split-sentence.server.ts';

/** Voices of 16 000 samples a second: a woman, two men and a Scottish man. */
export const FLITE_VOICES = ['slt', 'rms', 'kal16', 'awb'] as const;

/** A voice of the embedded synthesiser. */
export type FliteVoice = (typeof FLITE_VOICES)[number];

/** Speech of this process, shared by all calls. */
export interface Speaker {
  /** Starts the worker and makes the sound of a sentence that will be said soon. */
  warm(voice: FliteVoice, sentence: string): Promise<void>;
  /** Speaks for one call. */
  open(voice: FliteVoice): TtsStream;
  close(): Promise<void>;
}

const ENTRY = path.join(PROJECT_ROOT, 'src', 'features', 'voice', 'speech', 'speech-process.server.ts');
/** Sound of sentences that are said again and again, first messages above all: some 5 minutes. */
const KEPT_SAMPLES = 5 * 60 * 16_000;
const LONGEST_TEXT = 2000;
/** Samples of silence after a sentence and after a part of one, beside what trimming leaves: 180 and 40 ms. */
const BREATH = 2880;
const COMMA = 640;
const SENTENCE_END = /[.!?]$/;

/** Starts the synthesiser's worker with the first sentence; it stays until `close`. */
export function createSpeaker(): Speaker {
  const worker = askWorker<SpeechRequest, Int16Array>(ENTRY);
  let keptSamples = 0;
  const kept = new Map<string, Int16Array>();

  async function soundOf(voice: FliteVoice, text: string): Promise<Int16Array> {
    const key = `${voice} ${text}`;
    const known = kept.get(key);
    if (known) return known;
    const pcm = await worker.ask({ voice, text });
    keep(key, pcm);
    return pcm;
  }

  function keep(key: string, pcm: Int16Array): void {
    kept.set(key, pcm);
    keptSamples += pcm.length;
    for (const [oldest, sound] of kept) {
      if (keptSamples <= KEPT_SAMPLES) return;
      kept.delete(oldest);
      keptSamples -= sound.length;
    }
  }

  const partsOf = (sentence: string): string[] => splitSentence(sayAloud(sentence.slice(0, LONGEST_TEXT)));

  return {
    async warm(voice, sentence) {
      await Promise.all(partsOf(sentence).map((part) => soundOf(voice, part)));
    },
    open: (voice) => ({
      name: 'flite',
      async *speak(sentence, signal) {
        const parts = partsOf(sentence);
        // The next part is made while the one before is being played.
        let next = parts[0] ? soundOf(voice, parts[0]) : null;
        for (let at = 1; next && !signal.aborted; at++) {
          const pcm: Int16Array = await next;
          // The silence between two parts was trimmed; without any they run into each other.
          if (at > 1) yield new Int16Array(SENTENCE_END.test(parts[at - 2] ?? '') ? BREATH : COMMA);
          next = parts[at] ? soundOf(voice, parts[at] ?? '') : null;
          next?.catch(() => {}); // told where it is awaited
          if (signal.aborted) return;
          if (pcm.length > 0) yield pcm;
        }
      },
      close() {},
    }),
    close: () => worker.close(),
  };
}
