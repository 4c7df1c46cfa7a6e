import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { AudioInput } from '../../../src/voice/calls/audio-input.server.ts';
import type {
  ConversationEffect,
  ConversationEvent,
  ConversationState,
} from '../../../src/voice/calls/conversation/conversation-events.server.ts';
import { conversationRules } from '../../../src/voice/calls/conversation/conversation-rules.server.ts';
import {
  beginConversation,
  stepConversation,
} from '../../../src/voice/calls/conversation/conversation-step.server.ts';
import type {
  DialogueManager,
  DialogueStep,
  ExpectedWords,
  Recognised,
  SttStream,
  VoiceActivityDetector,
} from '../../../src/voice/engines/engines.server.ts';
import { unfinishedText } from '../../../src/voice/engines/recognition/spoken-words.server.ts';
import type { SoundReader } from './sound-reader.ts';

const WINDOW = 512;
const WINDOW_MS = 32;
/** Time for the synthesiser and for the path to the caller. */
const SPEAKING_MS = 150;
const MS_PER_CHARACTER = 65;
/** A caller waits for an answer no longer than this. */
const PATIENCE_MS = 8000;
/** New sound after which a partial text comes: 0.64 s, as with two calls on two cores. */
const PARTIAL_SAMPLES = 10_240;

interface Sentence {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  audible: boolean;
}

/** The result for one utterance of the caller. */
export interface HeardLine {
  readonly heard: string;
  readonly confidence: number;
  readonly answer: string;
}

/**
 * A call with its own clock. The caller's sound goes through the detector, the windows, the turn rules, the
 * decoder and the dialogue of a real call; only the network and the assistant's sound are replaced by the
 * time that they take.
 */
export class SimulatedCall {
  readonly #dialogue: DialogueManager;
  readonly #audioInput: AudioInput;
  readonly #recogniser: ReturnType<typeof streamOf>;
  readonly steps: DialogueStep[] = [];
  #state: ConversationState;
  #now = 1_000_000;
  #sentences: Sentence[] = [];
  #answer: string[] = [];
  #finals: { text: string; confidence: number }[] = [];
  #windowDone: () => void = () => {};
  #thinking: Promise<void> = Promise.resolve();
  #asking = new AbortController();
  #replied = false;

  constructor(dialogue: DialogueManager, detector: VoiceActivityDetector, reader: SoundReader) {
    this.#dialogue = dialogue;
    this.#state = beginConversation(conversationRules({ firstMessage: 'Hello.' }), this.#now);
    this.#recogniser = streamOf(reader);
    this.#audioInput = new AudioInput(detector, this.#recogniser.stream, {
      window: (ms, probability) => {
        this.#on({ type: 'window', ms, probability });
        this.#windowDone();
      },
      partial: (utterance, { text }) => this.#on({ type: 'partial', utterance, text }),
      final: (utterance, { text, confidence }) => {
        if (text !== '') this.#finals.push({ text, confidence });
        this.#on({ type: 'final', utterance, text, confidence });
      },
      failed: (what, error) => {
        throw new Error(`The ${what} failed: ${String(error)}`);
      },
    });
    this.#on({ type: 'joined' });
    this.#on({ type: 'playable' });
    this.#letSpeak();
  }

  get hungUp(): boolean {
    return this.steps.some((step) => step.kind === 'hang-up');
  }

  /** The caller says something and listens to the whole answer. */
  async say(pcm: Int16Array): Promise<HeardLine> {
    this.#answer = [];
    this.#finals = [];
    this.#replied = false;
    for (let at = 0; at < pcm.length; at += WINDOW) {
      const window = new Int16Array(WINDOW);
      window.set(pcm.subarray(at, at + WINDOW));
      await this.#hear(window);
    }
    for (let waited = 0; waited < PATIENCE_MS && !this.#settled(); waited += WINDOW_MS)
      await this.#hear(new Int16Array(WINDOW));
    this.#letSpeak();
    return {
      heard: this.#finals.map(({ text }) => text).join(' '),
      confidence: Math.min(1, ...this.#finals.map(({ confidence }) => confidence)),
      answer: this.#answer.join(' '),
    };
  }

  close(): void {
    this.#audioInput.stop();
  }

  async #hear(window: Int16Array): Promise<void> {
    const judged = new Promise<void>((resolve) => {
      this.#windowDone = resolve;
    });
    this.#now += WINDOW_MS;
    this.#audioInput.push(window);
    await judged;
    await this.#recogniser.done();
    // The result of an utterance follows at once, because the dialogue has no clock of its own.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#thinking;
    this.#passTime();
    this.#on({ type: 'tick' });
  }

  #settled(): boolean {
    const { utterance, due, reply, pending } = this.#state;
    const ended = this.#state.phase === 'closing' || this.#state.phase === 'ended';
    const answered = reply === undefined || reply.ended;
    return ended || (this.#replied && utterance === undefined && due.length === 0 && answered && !pending);
  }

  #on(event: ConversationEvent): void {
    const { state, effects } = stepConversation(this.#state, event, this.#now);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: ConversationEffect): void {
    if (effect.type === 'begin-utterance') this.#audioInput.beginUtterance(effect.utterance, effect.expected);
    else if (effect.type === 'pause-utterance') this.#audioInput.pauseUtterance(true);
    else if (effect.type === 'resume-utterance') this.#audioInput.pauseUtterance(false);
    else if (effect.type === 'end-utterance') this.#audioInput.endUtterance(effect.utterance);
    else if (effect.type === 'reply') this.#thinking = this.#reply(effect);
    else if (effect.type === 'cancel-reply') this.#asking.abort();
    else if (effect.type === 'interrupt') this.#sentences = [];
    else if (effect.type === 'speak') {
      const from = Math.max(this.#now + SPEAKING_MS, effect.notBefore, this.#sentences.at(-1)?.to ?? 0);
      const to = from + effect.text.length * MS_PER_CHARACTER;
      this.#sentences.push({ id: effect.speech, from, to, audible: false });
    }
  }

  async #reply({
    turn,
    text,
    confidence,
    typed,
  }: Extract<ConversationEffect, { type: 'reply' }>): Promise<void> {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.#answer = [];
    let hangUp: 'assistant-ended-call' | undefined;
    for await (const step of this.#dialogue.reply({ text, confidence, typed }, [], signal)) {
      if (signal.aborted) return;
      this.steps.push(step);
      if (step.kind === 'hang-up') hangUp = 'assistant-ended-call';
      if (step.kind !== 'sentence') continue;
      this.#answer.push(step.text);
      this.#on({ type: 'sentence', turn, text: step.text });
    }
    this.#replied = true;
    this.#on({ type: 'reply-ended', turn, hangUp });
  }

  #passTime(): void {
    for (const sentence of [...this.#sentences]) {
      if (!sentence.audible && this.#now >= sentence.from) {
        sentence.audible = true;
        this.#on({ type: 'audible', speech: sentence.id });
      }
      if (this.#now < sentence.to) return;
      this.#sentences = this.#sentences.filter((one) => one !== sentence);
      this.#on({ type: 'played', speech: sentence.id });
    }
  }

  /** The caller waits until the assistant has finished speaking. */
  #letSpeak(): void {
    this.#now = Math.max(this.#now, this.#sentences.at(-1)?.to ?? 0) + WINDOW_MS;
    this.#passTime();
  }
}

/**
 * The queue of a real recogniser that has all the time it needs: partial texts at intervals, and the whole
 * text at a pause. `done` waits for what it is reading.
 */
function streamOf(reader: SoundReader): { stream: SttStream; done: () => Promise<void> } {
  let listener: Parameters<SttStream['onPartial']>[0] = () => {};
  let sound: Int16Array[] = [];
  let unread = 0;
  let expected: ExpectedWords | undefined;
  let atPause: Promise<Recognised> | undefined;
  let work: Promise<unknown> = Promise.resolve();
  const read = (part: 'whole' | 'partial'): Promise<Recognised> => {
    const pcm = joined(sound);
    const reading = work.then(() => reader.read(pcm, part, expected));
    work = reading.then(({ text }) => {
      if (text !== '') listener({ text: unfinishedText(text), confidence: 1 });
    });
    return reading;
  };
  const stream: SttStream = {
    name: 'moonshine',
    beginUtterance(words) {
      sound = [];
      unread = 0;
      atPause = undefined;
      expected = words;
    },
    push(pcm) {
      sound.push(pcm);
      unread += pcm.length;
      if (unread < PARTIAL_SAMPLES || atPause !== undefined) return;
      unread = 0;
      void read('partial');
    },
    pauseUtterance() {
      atPause = read('whole');
    },
    resumeUtterance() {
      atPause = undefined;
    },
    onPartial(each) {
      listener = each;
    },
    endUtterance: () => atPause ?? read('whole'),
    close() {},
  };
  return { stream, done: async () => void (await work) };
}
