import type { TtsStream } from '../engines.server.ts';
import { fetchInTime, optionText, type ProviderAccess } from './provider-access.server.ts';
import { voiceWithFallback } from './provider-voice.server.ts';

/** Makes the request for the sound of one sentence: 16-bit samples, 16 000 a second. */
type SpeechRequest = (sentence: string) => { readonly url: string; readonly init: RequestInit };

/** Longest sound of one sentence, bytes: two minutes. A provider that sends more is cut off. */
const MOST_BYTES = 2 * 60 * 32_000;

/**
 * ElevenLabs: `POST /v1/text-to-speech/{voice}/stream`, raw samples.
 */
export function elevenLabsRequest({ address, options }: ProviderAccess): SpeechRequest {
  const { url, key, voice, model } = address;
  const settings = {
    stability: options.stability,
    similarity_boost: options.similarityBoost,
    style: options.style,
    use_speaker_boost: options.useSpeakerBoost,
    speed: options.speed,
  };
  return (text) => ({
    url: `${url}/v1/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=pcm_16000`,
    init: {
      method: 'POST',
      headers: { 'xi-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        text,
        model_id: model || 'eleven_flash_v2_5',
        ...(typeof options.language === 'string' ? { language_code: options.language } : {}),
        voice_settings: settings,
      }),
    },
  });
}

/** Cartesia: `POST /tts/bytes`, raw samples. */
export function cartesiaRequest({ address, options }: ProviderAccess): SpeechRequest {
  const { url, key, voice, model } = address;
  return (transcript) => ({
    url: `${url}/tts/bytes`,
    init: {
      method: 'POST',
      headers: { 'x-api-key': key, 'cartesia-version': '2025-04-16', 'content-type': 'application/json' },
      body: JSON.stringify({
        model_id: model || 'sonic-2',
        transcript,
        voice: { mode: 'id', id: voice },
        language: optionText(options, 'language', 'en'),
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
      }),
    },
  });
}

/**
 * The voice of a provider that is asked for one sentence at a time; the embedded voice speaks what it does
 * not begin.
 */
export function requestedVoice(
  access: ProviderAccess,
  request: SpeechRequest,
  fallback: TtsStream,
  warn: (line: string) => void,
): TtsStream {
  const send = access.guard?.fetch ?? fetch;
  async function* fromProvider(sentence: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const { url, init } = request(sentence);
    const { body } = await fetchInTime(send, url, { ...init, signal });
    let odd = Buffer.alloc(0);
    let length = 0;
    for await (const bytes of body as ReadableStream<Uint8Array>) {
      length += bytes.length;
      if (length > MOST_BYTES) throw new Error('its sound has no end');
      const whole = Buffer.concat([odd, bytes]);
      const even = whole.length - (whole.length % 2);
      odd = whole.subarray(even);
      if (even > 0) yield samplesOf(whole.subarray(0, even));
    }
  }

  return voiceWithFallback(access.provider, fromProvider, fallback, warn);
}

function samplesOf(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length / 2);
  for (let at = 0; at < samples.length; at += 1) samples[at] = bytes.readInt16LE(at * 2);
  return samples;
}
