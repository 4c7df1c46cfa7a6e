import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { PROJECT_ROOT } from '../../../config/project-root.ts';
import type { TtsStream } from '../engines.server.ts';
import { sayAloud } from './say-aloud.server.ts';
import type { SpeechReply, SpeechRequest } from './speech-messages.server.ts';
import { splitSentence } from './split-sentence.server.ts';

/** Voices of 16 000 samples a second: a woman, two men and a Scottish man. */
export const FLITE_VOICES = ['slt', 'rms', 'kal16', 'awb'] as const;

/** A voice of the embedded synthesiser. */
export type FliteVoice = (typeof FLITE_VOICES)[number];

/** Speech of this process, shared by all calls. */
export interface Speaker {
  /** Speaks for one call. */
  open(voice: FliteVoice): TtsStream;
  close(): Promise<void>;
}

const ENTRY = path.join(PROJECT_ROOT, 'src', 'features', 'voice', 'speech', 'speech-process.server.ts');
/** Sound of sentences that are said again and again, first messages above all: some 5 minutes. */
const KEPT_SAMPLES = 5 * 60 * 16_000;
const LONGEST_TEXT = 2000;

/** Starts the synthesiser's worker with the first sentence; it stays until `close`. */
export function createSpeaker(): Speaker {
  let worker: Worker | null = null;
  let lastId = 0;
  let keptSamples = 0;
  const kept = new Map<string, Int16Array>();
  const waiting = new Map<number, (reply: SpeechReply) => void>();

  function start(): Worker {
    const begun = new Worker(ENTRY, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    begun.on('message', (reply: SpeechReply) => {
      waiting.get(reply.id)?.(reply);
      waiting.delete(reply.id);
    });
    const lost = (why: string) => {
      if (worker === begun) worker = null;
      for (const [id, answer] of waiting) answer({ id, failure: why });
      waiting.clear();
    };
    begun.on('error', (error) => lost(String(error)));
    begun.on('exit', () => lost('The synthesiser ended.'));
    begun.unref();
    return begun;
  }

  async function soundOf(voice: FliteVoice, text: string): Promise<Int16Array> {
    const key = `${voice} ${text}`;
    const known = kept.get(key);
    if (known) return known;
    const reply = await new Promise<SpeechReply>((resolve) => {
      const request: SpeechRequest = { id: ++lastId, voice, text };
      waiting.set(request.id, resolve);
      worker ??= start();
      worker.postMessage(request);
    });
    if ('failure' in reply) throw new Error(reply.failure);
    keep(key, reply.pcm);
    return reply.pcm;
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

  return {
    open: (voice) => ({
      name: 'flite',
      async *speak(sentence, signal) {
        const parts = splitSentence(sayAloud(sentence.slice(0, LONGEST_TEXT)));
        // The next part is made while the one before is being played.
        let next = parts[0] ? soundOf(voice, parts[0]) : null;
        for (let at = 1; next && !signal.aborted; at++) {
          const pcm: Int16Array = await next;
          next = parts[at] ? soundOf(voice, parts[at] ?? '') : null;
          next?.catch(() => {}); // told where it is awaited
          if (signal.aborted) return;
          if (pcm.length > 0) yield pcm;
        }
      },
      close() {},
    }),
    async close() {
      await worker?.terminate();
    },
  };
}
