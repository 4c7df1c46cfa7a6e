import { writeWave } from '@northline/speech/wave-file';
import type { OpenAI } from 'openai';
import type { Recognised, SttStream } from '../engines.server.ts';

/** Longest utterance that is sent, samples: a minute. */
const MOST_SAMPLES = 60 * 16_000;
const NOTHING: Recognised = { text: '', confidence: 0 };

/**
 * Recognition by a provider with OpenAI's `/audio/transcriptions`, one utterance at a time. The embedded
 * recogniser, where there is one, listens as well: it shows what is understood so far, and answers when the
 * provider does not.
 */
export function providerRecogniser(
  client: OpenAI,
  { model, language }: { readonly model: string; readonly language: string },
  fallback: SttStream | null,
  warn: (line: string) => void,
): SttStream {
  let sound: Int16Array[] = [];
  let samples = 0;

  async function transcribe(pieces: readonly Int16Array[]): Promise<Recognised> {
    const file = new File([new Uint8Array(writeWave(pieces))], 'utterance.wav', { type: 'audio/wav' });
    const { text } = await client.audio.transcriptions.create({ model, file, language });
    return { text: text.trim(), confidence: text.trim() === '' ? 0 : 1 };
  }

  return {
    name: model,
    beginUtterance(expected) {
      sound = [];
      samples = 0;
      fallback?.beginUtterance(expected);
    },
    push(pcm) {
      fallback?.push(pcm);
      if (samples >= MOST_SAMPLES) return;
      sound.push(pcm);
      samples += pcm.length;
    },
    pauseUtterance: () => fallback?.pauseUtterance?.(),
    resumeUtterance: () => fallback?.resumeUtterance?.(),
    onPartial: (listener) => fallback?.onPartial(listener),
    async endUtterance() {
      const own = fallback?.endUtterance() ?? Promise.resolve(NOTHING);
      return transcribe(sound).catch((error: unknown) => {
        warn(`the recognition provider failed: ${error instanceof Error ? error.message : String(error)}`);
        return own;
      });
    },
    close: () => fallback?.close(),
  };
}
