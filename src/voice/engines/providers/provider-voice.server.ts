import type OpenAI from 'openai';
import type { TtsStream } from '../engines.server.ts';
import { Downsampler } from './resample-sound.server.ts';

const DEFAULT_VOICE = 'alloy';

/**
 * Speech of a provider with OpenAI's `/audio/speech` (24 000 samples a second), played while it
 * arrives. A sentence that the provider does not begin is spoken by the embedded voice.
 */
export function providerVoice(
  client: OpenAI,
  { model, voice }: { readonly model: string; readonly voice: string },
  fallback: TtsStream,
  warn: (line: string) => void,
): TtsStream {
  return {
    name: model,
    async *speak(sentence, signal) {
      let begun = false;
      try {
        const reply = await client.audio.speech.create(
          { model, voice: voice || DEFAULT_VOICE, input: sentence, response_format: 'pcm' },
          { signal },
        );
        const downsampler = new Downsampler();
        for await (const bytes of reply.body as ReadableStream<Uint8Array>) {
          const pcm = downsampler.push(bytes);
          if (pcm.length === 0) continue;
          begun = true;
          yield pcm;
        }
      } catch (error) {
        if (signal.aborted) return;
        warn(`the speech provider failed: ${error instanceof Error ? error.message : String(error)}`);
      }
      if (!begun && !signal.aborted) yield* fallback.speak(sentence, signal);
    },
    close: () => fallback.close(),
  };
}
