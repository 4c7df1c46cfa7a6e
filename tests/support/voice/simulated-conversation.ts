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
import type { CallAssistant } from '../../../src/voice/engines/engines.server.ts';

/** Milliseconds of one window of the detector. */
const WINDOW_MS = 32;

/** A conversation on a clock that the test moves. */
export class SimulatedConversation {
  state: ConversationState;
  now = 1_000_000;
  /** Every effect with its time. */
  readonly log: (ConversationEffect & { at: number })[] = [];

  /**
   * @param goesOut whether a person is called by telephone
   * @param opening asked before the first message
   */
  constructor(assistant: CallAssistant = {}, goesOut = false, opening = '') {
    this.state = beginConversation(
      conversationRules({ firstMessage: 'Hello. How can I help?', ...assistant }, { goesOut, opening }),
      this.now,
    );
  }

  /** Handles an event that happens now; returns its effects. */
  on(event: ConversationEvent): ConversationEffect[] {
    const { state, effects } = stepConversation(this.state, event, this.now);
    this.state = state;
    this.log.push(...effects.map((effect) => ({ ...effect, at: this.now })));
    return [...effects];
  }

  /** Lets time pass with or without voice, window by window. */
  sound(ms: number, probability: number): ConversationEffect[] {
    const before = this.log.length;
    for (let gone = 0; gone < ms; gone += WINDOW_MS) {
      this.now += WINDOW_MS;
      this.on({ type: 'window', ms: WINDOW_MS, probability });
      this.on({ type: 'tick' });
    }
    return this.log.slice(before);
  }
  voice(ms: number): ConversationEffect[] {
    return this.sound(ms, 0.9);
  }
  quiet(ms: number): ConversationEffect[] {
    return this.sound(ms, 0.05);
  }

  /** The caller has joined and the assistant's first message has been heard. */
  greeted(): this {
    this.on({ type: 'joined' });
    this.on({ type: 'playable' });
    this.hearAll();
    return this;
  }
  /** Everything that waits to be spoken is heard completely. */
  hearAll(): void {
    for (const { id } of this.state.speech) {
      this.on({ type: 'audible', speech: id });
      this.on({ type: 'played', speech: id });
    }
  }
  /** The assistant answers with these sentences, and the first becomes audible. */
  answers(...sentences: string[]): void {
    const turn = this.turn();
    for (const text of sentences) this.on({ type: 'sentence', turn, text });
    this.on({ type: 'reply-ended', turn });
    const [first] = this.state.speech;
    if (first !== undefined) this.on({ type: 'audible', speech: first.id });
  }
  /** The caller says something, to the end of the turn. */
  says(text: string, ms = 1000, confidence = 0.9): ConversationEffect[] {
    const before = this.log.length;
    this.voice(ms);
    this.partial(text);
    this.quiet(1600);
    this.final(text, confidence);
    return this.log.slice(before);
  }
  partial(text: string): ConversationEffect[] {
    return this.on({ type: 'partial', utterance: this.state.utterance?.id ?? 0, text });
  }
  /** The text of the oldest completed utterance arrives. */
  final(text: string, confidence = 0.9): ConversationEffect[] {
    return this.on({ type: 'final', utterance: this.state.due[0]?.id ?? 0, text, confidence });
  }
  /** The last turn that was requested. */
  turn(): number {
    const asked = this.log.findLast((effect) => effect.type === 'reply' || effect.type === 'greet');
    return asked !== undefined && 'turn' in asked ? asked.turn : 0;
  }
  types(): string[] {
    return this.log.map(({ type }) => type);
  }
  count(type: ConversationEffect['type']): number {
    return this.types().filter((one) => one === type).length;
  }
  ended(): string | undefined {
    const end = this.log.find((effect) => effect.type === 'end');
    return end !== undefined && 'reason' in end ? end.reason : undefined;
  }
}
