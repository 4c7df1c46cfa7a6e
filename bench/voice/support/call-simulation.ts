import type {
  ConversationEffect,
  ConversationEvent,
  ConversationState,
} from '../../src/features/voice/conversation/conversation-events.server.ts';
import { Hearing } from '../../src/features/voice/conversation/hear-sound.server.ts';
import {
  beginConversation,
  stepConversation,
} from '../../src/features/voice/conversation/step-conversation.server.ts';
import { conversationRules } from '../../src/features/voice/conversation/turn-rules.server.ts';
import type {
  DialogueManager,
  DialogueStep,
  SttStream,
  VoiceActivityDetector,
} from '../../src/features/voice/engines.server.ts';
import type { Decoder } from '../../src/features/voice/recognition/open-decoder.server.ts';

const WINDOW = 512;
const WINDOW_MS = 32;
/** What the synthesiser and the way to the caller cost. */
const SPEAKING_MS = 150;
const MS_PER_CHARACTER = 65;
/** Nobody waits longer for an answer. */
const PATIENCE_MS = 8000;

interface Sentence {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  audible: boolean;
}

/** What came of one thing that the caller said. */
export interface HeardLine {
  readonly heard: string;
  readonly confidence: number;
  readonly answer: string;
}

/**
 * A call on a clock of its own: the caller's sound goes through the detector, the windows, the turn
 * rules, the decoder and the dialogue of a real call; only the network and the assistant's sound are
 * left out, of which the time is kept.
 */
export class SimulatedCall {
  readonly #dialogue: DialogueManager;
  readonly #hearing: Hearing;
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

  constructor(dialogue: DialogueManager, detector: VoiceActivityDetector, decoder: Decoder) {
    this.#dialogue = dialogue;
    this.#state = beginConversation(conversationRules({ firstMessage: 'Hello.' }), this.#now);
    this.#hearing = new Hearing(detector, streamOf(decoder), {
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

  /** The caller says something and hears the answer to its end. */
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
    this.#hearing.stop();
  }

  async #hear(window: Int16Array): Promise<void> {
    const judged = new Promise<void>((resolve) => {
      this.#windowDone = resolve;
    });
    this.#now += WINDOW_MS;
    this.#hearing.hear(window);
    await judged;
    // What an utterance came to follows at once; the dialogue has no clock of its own.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#thinking;
    this.#passTime();
    this.#on({ type: 'tick' });
  }

  #settled(): boolean {
    const { utterance, due, reply, heard } = this.#state;
    const ended = this.#state.phase === 'closing' || this.#state.phase === 'ended';
    const answered = reply === undefined || reply.ended;
    return ended || (this.#replied && utterance === undefined && due.length === 0 && answered && !heard);
  }

  #on(event: ConversationEvent): void {
    const { state, effects } = stepConversation(this.#state, event, this.#now);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: ConversationEffect): void {
    if (effect.type === 'begin-utterance') this.#hearing.beginUtterance(effect.utterance);
    else if (effect.type === 'end-utterance') this.#hearing.endUtterance(effect.utterance);
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

  /** The caller waits until the assistant has said everything. */
  #letSpeak(): void {
    this.#now = Math.max(this.#now, this.#sentences.at(-1)?.to ?? 0) + WINDOW_MS;
    this.#passTime();
  }
}

function streamOf(decoder: Decoder): SttStream {
  let listener: Parameters<SttStream['onPartial']>[0] = () => {};
  return {
    name: 'pocketsphinx',
    beginUtterance: () => decoder.begin(),
    push(pcm) {
      const text = decoder.hear(pcm);
      if (text !== null) listener({ text, confidence: 1 });
    },
    onPartial(each) {
      listener = each;
    },
    endUtterance: async () => decoder.end(),
    close() {},
  };
}
