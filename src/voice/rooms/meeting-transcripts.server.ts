import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { AudioInput, type AudioInputListener } from '../calls/audio-input.server.ts';
import { conversationRules } from '../calls/conversation/turn-rules.server.ts';
import { ColleagueInput } from '../calls/takeover/colleague-input.server.ts';
import type { CallContext, VoiceEngines } from '../engines/engines.server.ts';

/** What is understood in a meeting. */
export interface TranscriptListener {
  /** One utterance of somebody to its end; never empty. */
  words(personId: string, text: string): void;
  /** Somebody is not understood from now on; a sentence for everybody. */
  failed(sentence: string): void;
}

/** A meeting that is being transcribed: each person is understood by themselves. */
export interface MeetingTranscript {
  /** The recogniser's name. */
  readonly model: string;
  /** Sound of somebody: mono, 16-bit, 16 000 samples a second. */
  hear(personId: string, pcm: Int16Array): void;
  /** Somebody is gone; what they said last is still understood. */
  leave(personId: string): void;
  /** Hears nothing more, and resolves when the last words have come, or after ten seconds. */
  finish(): Promise<void>;
  /** Ends at once: no more words come. */
  close(): void;
}

/** Understands what people in the meetings of this process say (decision 0469). Nothing of it is stored. */
export interface MeetingTranscripts {
  /**
   * Begins with one meeting.
   *
   * @throws ServiceError 409 `typed_only` without a recogniser and `recognition_costs` with one that charges, 503
   * `too_many_transcripts` and `not_recognised`; each with a sentence for who asked
   */
  begin(listener: TranscriptListener): Promise<MeetingTranscript>;
}

type Ears = Pick<VoiceEngines, 'recognition' | 'openDetector' | 'openRecogniser' | 'charges'>;

/** Meetings that are transcribed at once: all their people are understood by one recogniser. */
const MOST_AT_ONCE = 2;
const TICK_MS = 100;
/** The last words get so long to come. */
const LAST_WORDS_MS = 10_000;
/** Meetings have an end of their own. */
const RULES = { ...conversationRules({}), maxDurationMs: Number.POSITIVE_INFINITY };

const now = (): number => performance.timeOrigin + performance.now();

/** Opens the transcripts of this process. */
export function openMeetingTranscripts(engines: Ears, { log }: Pick<Resources, 'log'>): MeetingTranscripts {
  let going = 0;
  return {
    async begin(listener) {
      if (going >= MOST_AT_ONCE)
        throw new ServiceError(
          503,
          'too_many_transcripts',
          'Too many meetings are transcribed now. Please try again later.',
        );
      going += 1;
      try {
        const context: CallContext = {
          callId: randomUUID(),
          assistant: {},
          log: (level, line) => {
            if (level === 'WARN' || level === 'ERROR') log.warn({ line }, 'of the transcript of a meeting');
          },
        };
        const model = await recogniserOf(engines, context);
        const ended = (): void => {
          going -= 1;
        };
        return new EngineTranscript({ engines, context, listener, model, ended });
      } catch (error) {
        going -= 1;
        throw error;
      }
    },
  };
}

/** The name of the recogniser that will be used: one is opened, so that who asks learns whether it can be. */
async function recogniserOf(engines: Ears, context: CallContext): Promise<string> {
  if (engines.recognition === 'typed-only')
    throw new ServiceError(409, 'typed_only', 'This installation recognises no speech.');
  if ((await engines.charges?.(context, 'transcriber')) === true)
    throw new ServiceError(
      409,
      'recognition_costs',
      'The recogniser of this installation charges for what it hears: meetings are not transcribed by it.',
    );
  const recogniser = await engines.openRecogniser(context).catch((error: unknown) => {
    throw new ServiceError(503, 'not_recognised', 'Speech cannot be recognised now.', { cause: error });
  });
  recogniser.close();
  return recogniser.name;
}

interface TranscriptParts {
  readonly engines: Ears;
  readonly context: CallContext;
  readonly listener: TranscriptListener;
  readonly model: string;
  ended(): void;
}

class EngineTranscript implements MeetingTranscript {
  readonly model: string;
  readonly #parts: TranscriptParts;
  readonly #people = new Map<string, ColleagueInput>();
  /** Those who are gone, and whose last words are not there yet. */
  readonly #leaving = new Map<ColleagueInput, Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #finished = false;
  #closed = false;

  constructor(parts: TranscriptParts) {
    this.model = parts.model;
    this.#parts = parts;
    this.#timer = setInterval(() => {
      for (const input of this.#people.values()) input.tick();
    }, TICK_MS);
  }

  hear(personId: string, pcm: Int16Array): void {
    if (this.#finished) return;
    const known = this.#people.get(personId);
    const input = known ?? this.#open(personId);
    if (known === undefined) this.#people.set(personId, input);
    input.push(pcm);
  }

  leave(personId: string): void {
    const input = this.#people.get(personId);
    this.#people.delete(personId);
    if (input === undefined) return;
    const heardOut = input.finish().then(() => void this.#leaving.delete(input));
    this.#leaving.set(input, heardOut);
  }

  async finish(): Promise<void> {
    this.#finished = true;
    for (const personId of [...this.#people.keys()]) this.leave(personId);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, LAST_WORDS_MS);
    await Promise.race([Promise.all(this.#leaving.values()), late.promise]);
    clearTimeout(timer);
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#finished = true;
    clearInterval(this.#timer);
    for (const input of [...this.#people.values(), ...this.#leaving.keys()]) input.stop();
    this.#people.clear();
    this.#leaving.clear();
    this.#parts.ended();
  }

  #open(personId: string): ColleagueInput {
    const { engines, context, listener } = this.#parts;
    return new ColleagueInput({
      rules: RULES,
      now,
      open: async (input) => openInput(engines, context, input),
      listener: {
        partial: () => {},
        words: (text) => {
          if (text !== '') listener.words(personId, text);
        },
        failed: (what, error) => {
          context.log('WARN', `somebody in a meeting is not understood: the ${what}: ${String(error)}`);
          listener.failed('Somebody in this meeting is not understood any more: the recogniser failed.');
        },
      },
    });
  }
}

async function openInput(
  engines: Ears,
  context: CallContext,
  listener: AudioInputListener,
): Promise<AudioInput> {
  const detector = await engines.openDetector();
  try {
    return new AudioInput(detector, await engines.openRecogniser(context), listener);
  } catch (error) {
    detector.close();
    throw error;
  }
}
