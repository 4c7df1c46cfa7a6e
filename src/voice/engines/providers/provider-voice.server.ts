import type OpenAI from 'openai';
import type { TtsStream } from '../engines.server.ts';
import { Downsampler } from './sound-resampling.server.ts';

const DEFAULT_VOICE = 'alloy';

interface OpenaiVoice {
  readonly model: string;
  /** Empty for the provider's usual voice. */
  readonly voice: string;
  /** 0.25 to 4; where it is undefined, the voice's own speed. */
  readonly speed?: number | undefined;
}

/**
 * Speech of a provider with OpenAI's `/audio/speech` (24 000 samples a second), played while it arrives. The
 * embedded voice speaks a sentence that the provider does not begin.
 */
export function providerVoice(
  client: OpenAI,
  { model, voice, speed }: OpenaiVoice,
  fallback: TtsStream,
  warn: (line: string) => void,
): TtsStream {
  async function* fromProvider(sentence: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const reply = await client.audio.speech.create(
      {
        model,
        voice: voice || DEFAULT_VOICE,
        input: sentence,
        response_format: 'pcm',
        ...(speed === undefined ? {} : { speed }),
      },
      { signal },
    );
    const downsampler = new Downsampler();
    for await (const bytes of reply.body as ReadableStream<Uint8Array>) {
      const pcm = downsampler.push(bytes);
      if (pcm.length > 0) yield pcm;
    }
  }

  return voiceWithFallback(model, fromProvider, fallback, warn);
}

/** A voice whose sentences come from `source`; `fallback` speaks a sentence that `source` does not begin. */
export function voiceWithFallback(
  name: string,
  source: (sentence: string, signal: AbortSignal) => AsyncIterable<Int16Array>,
  fallback: TtsStream,
  warn: (line: string) => void,
): TtsStream {
  return {
    name,
    async *speak(sentence, signal) {
      let begun = false;
      try {
        for await (const pcm of source(sentence, signal)) {
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
