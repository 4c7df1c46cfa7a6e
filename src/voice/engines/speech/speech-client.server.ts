import path from 'node:path';
import { createWorkerClient } from '../../../kernel/concurrency/worker-client.server.ts';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { CallAssistant, TtsStream } from '../engines.server.ts';
import type { SpeechRequest } from './speech-messages.server.ts';
import { sayAloud, splitSentence } from './spoken-text.server.ts';

/** Voices of 16 000 samples a second: a woman, two men and a Scottish man. */
export const FLITE_VOICES = ['slt', 'rms', 'kal16', 'awb'] as const;

/** A voice of the embedded synthesiser. */
export type FliteVoice = (typeof FLITE_VOICES)[number];

/** The embedded voice that an assistant names; undefined where it names none, or another provider's. */
export function ownVoiceNamed({ voice }: Pick<CallAssistant, 'voice'>): FliteVoice | undefined {
  return voice?.provider === undefined || voice.provider === 'embedded'
    ? FLITE_VOICES.find((name) => name === voice?.voiceId)
    : undefined;
}

/** The speech synthesiser of this process, shared by all calls. */
export interface Speaker {
  /** Starts the worker and synthesises a sentence that will be said soon. */
  warm(voice: FliteVoice, sentence: string): Promise<void>;
  /** Opens a voice for one call. */
  open(voice: FliteVoice): TtsStream;
  close(): Promise<void>;
}

const ENTRY = path.join(PROJECT_ROOT, 'src', 'voice', 'engines', 'speech', 'speech-process.server.ts');
/**
 * How much sound is kept of sentences that are said again and again, above all first messages: some 5
 * minutes.
 */
const KEPT_SAMPLES = 5 * 60 * 16_000;
const LONGEST_TEXT = 2000;
/** Samples of silence added after a sentence and after a part of one: 180 and 40 ms. */
const BREATH = 2880;
const COMMA = 640;
const SENTENCE_END = /[.!?]$/;

/** Starts the synthesiser's worker with the first sentence; it stays until `close`. */
export function createSpeaker(): Speaker {
  const worker = createWorkerClient<SpeechRequest, Int16Array>(ENTRY);
  const sounds = new SoundCache((request) => worker.ask(request));
  return {
    async warm(voice, sentence) {
      await Promise.all(partsOf(sentence).map((text) => sounds.get({ voice, text })));
    },
    open: (voice) => ({
      name: 'flite',
      speak: (sentence, signal) => speakParts(sounds, voice, partsOf(sentence), signal),
      close() {},
    }),
    close: () => worker.close(),
  };
}

const partsOf = (sentence: string): string[] => splitSentence(sayAloud(sentence.slice(0, LONGEST_TEXT)));

/** The sound of a sentence, part after part; the next part is synthesised while the one before plays. */
async function* speakParts(
  sounds: SoundCache,
  voice: FliteVoice,
  parts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const begin = (text: string | undefined): Promise<Int16Array> | undefined => {
    const sound = text === undefined ? undefined : sounds.get({ voice, text });
    sound?.catch(() => {}); // thrown where it is awaited
    return sound;
  };
  let next = begin(parts[0]);
  for (let at = 0; next !== undefined && !signal.aborted; at++) {
    const pcm: Int16Array = await next;
    // The silence between two parts was trimmed; without any they would run into each other.
    if (at > 0) yield new Int16Array(SENTENCE_END.test(parts[at - 1] ?? '') ? BREATH : COMMA);
    next = begin(parts[at + 1]);
    if (!signal.aborted && pcm.length > 0) yield pcm;
  }
}

/** Sound by voice and text; the oldest is removed when there is too much. */
class SoundCache {
  readonly #make: (request: SpeechRequest) => Promise<Int16Array>;
  readonly #sounds = new Map<string, Int16Array>();
  #samples = 0;

  constructor(make: (request: SpeechRequest) => Promise<Int16Array>) {
    this.#make = make;
  }

  async get(request: SpeechRequest): Promise<Int16Array> {
    const key = `${request.voice} ${request.text}`;
    const known = this.#sounds.get(key);
    if (known) return known;
    const pcm = await this.#make(request);
    this.#put(key, pcm);
    return pcm;
  }

  #put(key: string, pcm: Int16Array): void {
    this.#samples += pcm.length - (this.#sounds.get(key)?.length ?? 0);
    this.#sounds.set(key, pcm);
    for (const [oldest, sound] of this.#sounds) {
      if (this.#samples <= KEPT_SAMPLES) return;
      this.#sounds.delete(oldest);
      this.#samples -= sound.length;
    }
  }
}
