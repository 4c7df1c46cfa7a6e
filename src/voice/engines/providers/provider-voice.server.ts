import type OpenAI from 'openai';
import type { TtsStream } from '../engines.server.ts';
import { Downsampler } from './sound-resampling.server.ts';

const DEFAULT_VOICE = 'alloy';
/** A provider that sends nothing for this long counts as failed, ms: a caller hears silence meanwhile. */
const PIECE_MS = 4000;
const RIFF = Buffer.from('RIFF');
/** Answers that are no raw samples: a player would make noise of them. */
const OTHER_TYPES = /json|text|html|mpeg|mp3|wav|ogg|opus|aac|flac|webm/i;

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
    const type = reply.headers.get('content-type') ?? '';
    if (OTHER_TYPES.test(type)) throw new Error(`it sent ${type} in place of raw samples`);
    const downsampler = new Downsampler();
    let isFirst = true;
    for await (const bytes of reply.body as ReadableStream<Uint8Array>) {
      if (isFirst && Buffer.from(bytes).subarray(0, 4).equals(RIFF))
        throw new Error('it sent a WAVE file in place of raw samples');
      isFirst = false;
      const pcm = downsampler.push(bytes);
      if (pcm.length > 0) yield pcm;
    }
  }

  return voiceWithFallback(model, fromProvider, fallback, warn);
}

/**
 * A voice whose sentences come from `source`; `fallback` speaks a sentence that `source` does not begin. A source that
 * stops in a sentence ends it there.
 */
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
        for await (const pcm of inTime((inner) => source(sentence, inner), signal)) {
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

/** The pieces of a source. @throws Error where the next one, or the first, does not come in time, and what the source throws */
async function* inTime(
  source: (signal: AbortSignal) => AsyncIterable<Int16Array>,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const late = new AbortController();
  const wait = (): NodeJS.Timeout => setTimeout(() => late.abort(), PIECE_MS);
  let timer = wait();
  let isEmpty = true;
  try {
    for await (const pcm of source(AbortSignal.any([signal, late.signal]))) {
      // The player may take its time.
      clearTimeout(timer);
      isEmpty = false;
      yield pcm;
      timer = wait();
    }
  } catch (error) {
    throw late.signal.aborted
      ? new Error(`it sent nothing for ${PIECE_MS / 1000} s`, { cause: error })
      : error;
  } finally {
    clearTimeout(timer);
  }
  if (isEmpty && !signal.aborted) throw new Error('it sent no sound');
}
