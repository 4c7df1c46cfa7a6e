import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { AudioInput, type AudioInputListener } from '../calls/audio-input.server.ts';
import { conversationRules } from '../calls/conversation/conversation-rules.server.ts';
import { costWithoutCall } from '../calls/record/call-report.server.ts';
import type { DailyCaps } from '../calls/record/daily-caps.server.ts';
import { ColleagueInput } from '../calls/takeover/colleague-input.server.ts';
import { CallMeter } from '../engines/call-meter.server.ts';
import type { CallContext, VoiceEngines } from '../engines/engines.server.ts';

/** What is recognised in a meeting. */
export interface TranscriptListener {
  /** The text of a finished utterance; never empty. */
  words(personId: string, text: string): void;
  /** A person is not recognised any more; a sentence for everybody. */
  failed(sentence: string): void;
  /** Nobody is recognised any more; a sentence for everybody. The transcript has to be finished. */
  ended(sentence: string): void;
}

/** A meeting that is being transcribed; each person is recognised separately. */
export interface MeetingTranscript {
  /** The name of the recogniser. */
  readonly model: string;
  /** Takes sound of somebody: mono, 16-bit, 16 000 samples a second. */
  hear(personId: string, pcm: Int16Array): void;
  /** Somebody has left; their last words are still recognised. */
  leave(personId: string): void;
  /** Takes no more sound, and resolves when the last words have come, or after ten seconds. */
  finish(): Promise<void>;
  /** Ends at once: no more words come. */
  close(): void;
}

/** Transcribes the meetings of this process (decision 0469). Nothing is stored. */
export interface MeetingTranscripts {
  /**
   * Starts to transcribe a meeting.
   *
   * @throws ServiceError 409 `typed_only` without a recogniser; 429 `minutes_limit`, `spend_limit` where the
   * recogniser charges and a cap of the day is reached; 503 `too_many_transcripts`, `not_recognised`; each
   * with a sentence for the person who asked
   */
  begin(listener: TranscriptListener): Promise<MeetingTranscript>;
}

type Ears = Pick<VoiceEngines, 'recognition' | 'openDetector' | 'openRecogniser' | 'charges' | 'prices'>;

/** What transcripts are made and counted with. */
interface TranscriptTools {
  readonly engines: Ears;
  readonly resources: Pick<Resources, 'log' | 'settings'>;
  readonly caps: Pick<DailyCaps, 'admitTranscript' | 'count'>;
}

/** Most meetings that are transcribed at once: one recogniser serves all their people. */
const MOST_AT_ONCE = 2;
const TICK_MS = 100;
/** How often the cost is counted, so that a cap of the day takes effect during a meeting. */
const COUNT_MS = 60_000;
/** How long the last words are waited for. */
const LAST_WORDS_MS = 10_000;
/** The rules of a conversation, without its time limit: meetings have one of their own. */
const RULES = { ...conversationRules({}), maxDurationMs: Number.POSITIVE_INFINITY };

const TOO_DEAR = 'This meeting is not transcribed any more: its transcript has cost what one may cost.';

const now = (): number => performance.timeOrigin + performance.now();

/** Opens the transcripts of this process. */
export function openMeetingTranscripts(tools: TranscriptTools): MeetingTranscripts {
  const { log } = tools.resources;
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
          meter: new CallMeter(),
          listensOnly: true,
          log: (level, line) => {
            if (level === 'WARN' || level === 'ERROR') log.warn({ line }, 'from the transcript of a meeting');
          },
        };
        const model = await recogniserOf(tools, context);
        const ended = (): void => {
          going -= 1;
        };
        return new EngineTranscript({ ...tools, context, listener, model, ended });
      } catch (error) {
        going -= 1;
        throw error;
      }
    },
  };
}

/**
 * The name of the recogniser that will be used. One is opened to find out, so that the person who asks learns
 * whether it works.
 */
async function recogniserOf({ engines, caps }: TranscriptTools, context: CallContext): Promise<string> {
  if (engines.recognition === 'typed-only')
    throw new ServiceError(409, 'typed_only', 'This installation recognises no speech.');
  if ((await engines.charges?.(context, 'transcriber')) === true) await caps.admitTranscript();
  const recogniser = await engines.openRecogniser(context).catch((error: unknown) => {
    throw new ServiceError(503, 'not_recognised', 'Speech cannot be recognised now.', { cause: error });
  });
  recogniser.close();
  return recogniser.name;
}

interface TranscriptParts extends TranscriptTools {
  readonly context: CallContext;
  readonly listener: TranscriptListener;
  readonly model: string;
  ended(): void;
}

class EngineTranscript implements MeetingTranscript {
  readonly model: string;
  readonly #parts: TranscriptParts;
  readonly #people = new Map<string, ColleagueInput>();
  /** People who have left, and whose last words are still awaited. */
  readonly #leaving = new Map<ColleagueInput, Promise<void>>();
  /** The inputs of all people, also of those who have left: what was recognised has to be paid for. */
  readonly #inputs: AudioInput[] = [];
  readonly #timer: NodeJS.Timeout;
  /** The cost that was counted, US dollars, and the time up to which it was. */
  #counted = { cost: 0, at: now() };
  #finished = false;
  #closed = false;

  constructor(parts: TranscriptParts) {
    this.model = parts.model;
    this.#parts = parts;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
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
    this.#count();
    this.#parts.ended();
  }

  #tick(): void {
    for (const input of this.#people.values()) input.tick();
    if (now() - this.#counted.at >= COUNT_MS) this.#count();
    const { listener, resources } = this.#parts;
    if (this.#finished || this.#cost() <= resources.settings.VOICE_CALL_SPEND) return;
    this.#finished = true;
    listener.ended(TOO_DEAR);
  }

  /** The cost so far, US dollars. */
  #cost(): number {
    const { context, engines } = this.#parts;
    const recognisedMs = this.#inputs.reduce((sum, input) => sum + input.recognisedMs, 0);
    return costWithoutCall({ recognisedMs, charged: context.meter?.costs() ?? [] }, engines.prices);
  }

  /** Counts the cost since the last time. A meeting has no assistant, and so no credential that pays. */
  #count(): void {
    const { caps, resources } = this.#parts;
    const [cost, at] = [this.#cost(), now()];
    const part = { minutes: (at - this.#counted.at) / 60_000, cost: cost - this.#counted.cost, costs: [] };
    this.#counted = { cost, at };
    caps.count({ kind: 'transcript', ...part }).catch((error: unknown) => {
      resources.log.error({ err: error, cost: part.cost }, 'a transcript was not counted');
    });
  }

  #open(personId: string): ColleagueInput {
    const { engines, context, listener } = this.#parts;
    return new ColleagueInput({
      rules: RULES,
      now,
      open: async (listening) => {
        const input = await openInput(engines, context, listening);
        this.#inputs.push(input);
        return input;
      },
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
