import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { CallContext } from '../../engines/engines.server.ts';
import { loudness } from '../../media/loudness.server.ts';
import type { MediaSession } from '../../media/media-transport.server.ts';
import { SecondCount } from '../../media/per-second-count.server.ts';
import type { CallSetup } from '../call-setup.server.ts';
import type { ConversationEvent } from '../conversation/conversation-events.server.ts';
import type { Transcript } from '../record/transcript.server.ts';
import { ColleagueInput, type ColleagueInputParts } from './colleague-input.server.ts';

/** What a colleague who speaks in the assistant's place can do with the call. */
export interface TakenCall {
  /** False once the call was given back or has ended. */
  readonly holds: boolean;
  /**
   * Plays the colleague's sound: mono, 16-bit, 16 000 samples a second. Ignored once the call was given back.
   */
  write(pcm: Int16Array): void;
  /** Gives the call back to the assistant. */
  giveBack(): void;
  /**
   * The colleague's connection has broken off: the assistant goes on, and says so. Ignored once the call was
   * given back.
   */
  lost(): void;
}

/** What a takeover needs from its call. */
export interface TakeoverParts
  extends Pick<ColleagueInputParts, 'rules' | 'open' | 'now'>,
    Pick<CallSetup, 'words' | 'taken' | 'evidence'> {
  readonly session: MediaSession;
  readonly transcript: Transcript;
  readonly log: CallContext['log'];
  dispatch(event: ConversationEvent): void;
  /** The transcript has new messages. */
  changed(): void;
}

interface Colleague {
  readonly name: string;
  readonly ended: () => void;
  readonly input: ColleagueInput;
  /** Polls in a row without any sound of the colleague. */
  unheard: number;
  /** When the colleague's voice was first and last heard. */
  voice: { readonly from: number; readonly to: number } | undefined;
  /** Whether anything that the colleague said was understood. */
  understood: boolean;
}

/**
 * Silence that is played before a colleague's first words and after each gap, since sound arrives unevenly
 * over a network. Sound that would wait longer than the limit is dropped, since two clocks are never the
 * same.
 */
const CUSHION = new Int16Array(960);
const MOST_QUEUED_MS = 240;
/** Most samples that are accepted in one second; a microphone sends fewer. */
const MOST_SAMPLES = 24_000;
/**
 * Polls (of 20 ms) without a sound after which the connection counts as broken; a quiet colleague still sends
 * silence. The limit is long because a page may be busy for some seconds.
 */
const MOST_UNHEARD = 500;
/** Loudness above which somebody speaks. */
const VOICE = 0.01;

const ENDINGS = {
  given: {
    notice: 'The colleague has given the call back to the assistant.',
    sentence: 'You are speaking with the AI assistant again. Please go on.',
  },
  lost: {
    notice: 'The line of the colleague has broken off; the assistant has the call again.',
    sentence:
      'I am sorry, the line of my colleague has broken off. You are speaking with the AI assistant again, please go on.',
  },
} as const;
const NOT_UNDERSTOOD = 'A colleague spoke; the words were not recognised.';

/**
 * Lets colleagues speak in the assistant's place in one call, one at a time; the caller hears them, and their
 * words are recorded.
 */
export class CallTakeover {
  readonly #parts: TakeoverParts;
  #present: Colleague | undefined;
  /** Colleagues who gave the call back and whose last words are still being recognised. */
  readonly #leaving = new Set<Colleague>();

  constructor(parts: TakeoverParts) {
    this.#parts = parts;
  }

  /** @throws ServiceError 409 `taken_over`, with the name of the colleague who has the call */
  requireFree(): void {
    if (this.#present === undefined) return;
    throw new ServiceError(
      409,
      'taken_over',
      `${this.#present.name} has taken this call over and speaks in the assistant's place.`,
    );
  }

  /**
   * Lets the named colleague be heard; the assistant is silent already. `ended` is called when the assistant
   * has the call again.
   */
  begin(name: string, ended: () => void): TakenCall {
    const { transcript, taken, log, now } = this.#parts;
    const colleague: Colleague = {
      ...{ name, ended },
      input: this.#openInput(() => {
        colleague.understood = true;
      }),
      unheard: 0,
      voice: undefined,
      understood: false,
    };
    this.#present = colleague;
    log('INFO', 'a colleague has taken the call over');
    transcript.add('system', 'A colleague has taken the call over.', now(), { kind: 'notice' });
    taken(name);
    this.#parts.changed();
    const amount = new SecondCount();
    const holds = (): boolean => this.#present === colleague;
    return {
      get holds() {
        return holds();
      },
      write: (pcm) => {
        if (holds() && amount.add(pcm.length, now()) <= MOST_SAMPLES) this.#write(colleague, pcm);
      },
      giveBack: () => this.#end(colleague, 'given'),
      lost: () => this.#end(colleague, 'lost'),
    };
  }

  /** Called every 20 ms. */
  poll(): void {
    const colleague = this.#present;
    if (colleague === undefined) return;
    colleague.input.tick();
    colleague.unheard += 1;
    if (colleague.unheard > MOST_UNHEARD) this.#end(colleague, 'lost');
  }

  /** The call has ended. */
  close(): void {
    for (const colleague of [...this.#leaving, this.#present]) {
      colleague?.input.stop();
      if (colleague !== undefined) this.#noteVoice(colleague);
    }
    this.#leaving.clear();
    this.#present = undefined;
  }

  #openInput(understood: () => void): ColleagueInput {
    const { transcript, words, evidence, log, now, rules, open, dispatch, changed } = this.#parts;
    return new ColleagueInput({
      rules,
      open,
      now,
      listener: {
        partial: (text) => words('colleague', text, false),
        words(text, confidence) {
          words('colleague', text, true);
          if (text === '') return;
          understood();
          transcript.add('system', text, now(), { kind: 'colleague', confidence });
          evidence('turn', { role: 'colleague', text });
          dispatch({ type: 'colleague-spoke' });
          changed();
        },
        failed: (what, error) => log('WARN', `a colleague is not understood: the ${what}: ${String(error)}`),
      },
    });
  }

  #write(colleague: Colleague, pcm: Int16Array): void {
    const { session, now } = this.#parts;
    colleague.unheard = 0;
    if (loudness(pcm) > VOICE) colleague.voice = { from: colleague.voice?.from ?? now(), to: now() };
    colleague.input.push(pcm);
    const queued = session.queuedMs();
    if (queued > MOST_QUEUED_MS) return;
    if (queued === 0) session.writePcm(CUSHION);
    session.writePcm(pcm);
  }

  #end(colleague: Colleague, how: keyof typeof ENDINGS): void {
    if (this.#present !== colleague) return;
    const { transcript, taken, log, now, dispatch, changed } = this.#parts;
    const { notice, sentence } = ENDINGS[how];
    this.#present = undefined;
    log('INFO', how === 'given' ? 'the colleague gave the call back' : "the colleague's line broke");
    if (colleague.input.hears) void this.#hearOut(colleague);
    else this.#noteVoice(colleague);
    transcript.add('system', notice, now(), { kind: 'notice' });
    taken(undefined);
    changed();
    dispatch({ type: 'give-back', sentence });
    colleague.ended();
  }

  async #hearOut(colleague: Colleague): Promise<void> {
    this.#leaving.add(colleague);
    await colleague.input.finish();
    if (this.#leaving.delete(colleague)) this.#noteVoice(colleague);
  }

  /** Where nothing that a colleague said was understood, at least the times of their voice are recorded. */
  #noteVoice({ voice, understood }: Colleague): void {
    if (voice === undefined || understood) return;
    const { transcript } = this.#parts;
    transcript.add('system', NOT_UNDERSTOOD, voice.from, { kind: 'colleague', endTime: voice.to });
  }
}
