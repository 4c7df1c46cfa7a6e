import type { Utterance } from '@northline/speech/voice';
import { Downsampler } from '../providers/sound-resampling.server.ts';
import type { SpeechReply, SpeechRequest } from './speech-messages.server.ts';

type Say = Extract<SpeechRequest, { kind: 'say' }>;

interface Speech {
  readonly asked: Say;
  readonly downsampler: Downsampler;
  utterance: Utterance | undefined;
  /** When its first piece was sent, ms; undefined before. */
  begunAt: number | undefined;
  /** Samples made so far, 16 000 a second. */
  made: number;
}

const SAMPLES_PER_MS = 16;
/** Longest sound of one text, samples: three minutes. */
const MOST_SAMPLES = 3 * 60 * 16_000;
const FULL = 32_767;
/** Silence that brings the last samples out of the filter, bytes. */
const FLUSH = 60;

/**
 * Says the texts of all calls, one piece at a time: first pieces before later ones, of later ones the one that
 * will be needed soonest, and texts that nobody waits for last.
 */
export class SpeechQueue {
  readonly #utter: (asked: Say) => Promise<Utterance>;
  readonly #reply: (message: SpeechReply) => void;
  readonly #now: () => number;
  #speeches: Speech[] = [];
  #working = false;

  /**
   * @param utter begins to say a text
   * @param now milliseconds
   */
  constructor(
    utter: (asked: Say) => Promise<Utterance>,
    reply: (message: SpeechReply) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#utter = utter;
    this.#reply = reply;
    this.#now = now;
  }

  take(request: SpeechRequest): void {
    if (request.kind === 'stop') {
      this.#speeches = this.#speeches.filter(({ asked }) => asked.speech !== request.speech);
      return;
    }
    const downsampler = new Downsampler();
    this.#speeches.push({ asked: request, downsampler, utterance: undefined, begunAt: undefined, made: 0 });
    if (this.#working) return;
    this.#working = true;
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      await this.#step(next);
      // Lets messages in, such as that a text is not wanted any more.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#working = false;
  }

  #next(): Speech | undefined {
    const live = this.#speeches.filter(({ asked }) => !asked.idle);
    const first = live.find(({ begunAt }) => begunAt === undefined);
    if (first !== undefined) return first;
    const now = this.#now();
    const lead = ({ begunAt = now, made }: Speech): number => made / SAMPLES_PER_MS - (now - begunAt);
    return live.sort((one, other) => lead(one) - lead(other))[0] ?? this.#speeches[0];
  }

  /** Makes one piece. It never throws: a failure is the answer. */
  async #step(speech: Speech): Promise<void> {
    const { asked } = speech;
    try {
      speech.utterance ??= await this.#utter(asked);
      const piece = speech.made < MOST_SAMPLES ? await speech.utterance.next() : undefined;
      if (!this.#speeches.includes(speech)) return;
      this.#send(speech, speech.downsampler.push(piece === undefined ? Buffer.alloc(FLUSH) : bytesOf(piece)));
      if (piece !== undefined) return;
      this.#reply({ kind: 'said', speech: asked.speech });
    } catch (error) {
      this.#reply({
        kind: 'failed',
        speech: asked.speech,
        why: error instanceof Error ? error.message : String(error),
      });
    }
    this.#speeches = this.#speeches.filter((one) => one !== speech);
  }

  #send(speech: Speech, pcm: Int16Array): void {
    const known = Math.min(pcm.length, Math.max(0, speech.asked.skip - speech.made));
    speech.made += pcm.length;
    if (pcm.length === known) return;
    speech.begunAt ??= this.#now();
    this.#reply({ kind: 'sound', speech: speech.asked.speech, pcm: pcm.slice(known) });
  }
}

function bytesOf(piece: Float32Array): Uint8Array {
  const samples = Int16Array.from(piece, (sample) => Math.round(sample * FULL));
  return new Uint8Array(samples.buffer);
}
