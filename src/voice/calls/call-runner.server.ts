import { ServiceError } from '../../../contract/service-error.ts';
import type { CallContext } from '../engines.server.ts';
import type {
  ConversationEffect,
  ConversationEvent,
  ConversationState,
  EndedReason,
} from './conversation-events.server.ts';
import { goodbyeWhenDear } from './end-dear-call.server.ts';
import { Transcript } from './keep-transcript.server.ts';
import { TurnClock } from './measure-turns.server.ts';
import { type EngineListeners, type OpenEngines, openEngines, sumUp } from './open-engines.server.ts';
import { callOutcome } from './report-call.server.ts';
import type { CallSetup } from './set-up-call.server.ts';
import { beginConversation, stepConversation } from './step-conversation.server.ts';
import { ClientLine, tellStep } from './talk-to-client.server.ts';
import { conversationRules } from './turn-rules.server.ts';

const LOOK_MS = 20;
/** Every how many looks the conversation is told that time passes. */
const TICK_LOOKS = 3;
/** The last messages get so long to leave before the connection is closed. */
const FAREWELL_MS = 150;

/** Milliseconds since 1970 that never go back. */
const now = (): number => performance.timeOrigin + performance.now();

/**
 * One call: joins transport, hearing, dialogue and speech by the conversation's state machine. It ends
 * once, and tells so once, whatever breaks.
 */
export class CallRunner {
  readonly #setup: CallSetup;
  readonly #client: ClientLine;
  readonly #transcript: Transcript;
  readonly #clock = new TurnClock();
  readonly #events: ConversationEvent[] = [];
  #state: ConversationState;
  #stepping = false;
  #engines: OpenEngines | undefined;
  readonly #timer: NodeJS.Timeout;
  #looks = 0;
  #startedAt: number | undefined;
  #disclosed = false;
  readonly #over = Promise.withResolvers<void>();

  constructor(setup: CallSetup) {
    this.#setup = setup;
    this.#transcript = new Transcript(now());
    this.#client = new ClientLine(setup.session, setup, {
      happened: (event) => this.#happen(event),
      typed: (text) => {
        this.#heard(text, { typed: true });
        this.#happen({ type: 'typed', text });
      },
      noted: (role, text) => this.#transcript.add(role, text, now()),
    });
    this.#state = beginConversation(conversationRules(setup.assistant), now());
    setup.session.onState((state) => {
      if (state === 'connected') this.#joined();
      if (state === 'closed' || state === 'failed' || state === 'disconnected')
        this.end('customer-ended-call');
    });
    setup.session.onPcm16k((pcm) => this.#engines?.hearing?.hear(pcm));
    setup.session.onSent((frame) => this.#engines?.hearing?.sent(frame));
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Resolves when the call is over and reported. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Opens the engines and answers the caller's offer. @throws ServiceError 503 `call_failed`, 400 `bad_offer` */
  async answer(offer: string): Promise<string> {
    await this.#openEngines();
    if (this.#state.phase === 'ended')
      throw new ServiceError(503, 'call_failed', 'The call could not be begun. Please try again.');
    return this.#setup.session.answer(offer);
  }

  /** Ends the call from outside the conversation; a second end does nothing. */
  end(reason: EndedReason): void {
    this.#happen({ type: 'over', reason });
  }

  async #openEngines(): Promise<void> {
    const { engines, callId, assistant, log, session } = this.#setup;
    try {
      const context: CallContext = { callId, assistant, log, askServer: this.#setup.server.ask };
      this.#engines = await openEngines(engines, context, session, this.#listeners(), now);
      if (this.#state.phase === 'ended') this.#stopEngines();
    } catch (error) {
      this.#break('opening of the engines', error, 'pipeline-error-custom-voice-failed');
    }
  }
  #break(what: string, error: unknown, reason: EndedReason): void {
    this.#setup.log('ERROR', `the ${what} failed: ${String(error)}`);
    this.end(reason);
  }

  #listeners(): EngineListeners {
    const happened = (event: ConversationEvent): void => this.#happen(event);
    return {
      hearing: {
        window: (ms, probability) => happened({ type: 'window', ms, probability }),
        partial: (utterance, { text }) => {
          this.#client.tellTranscript('user', 'partial', text);
          happened({ type: 'partial', utterance, text });
        },
        final: (utterance, { text, confidence }) => {
          this.#heard(text, { confidence });
          happened({ type: 'final', utterance, text, confidence });
        },
        failed: (what, error) => this.#setup.log('ERROR', `the ${what} failed: ${String(error)}`),
      },
      speech: {
        synthesised: () => void this.#clock.mark('sound', now()),
        audible: (speech, text) => this.#audible(speech, text),
        played: (speech, text) => {
          this.#said(text);
          happened({ type: 'played', speech });
        },
        failed: (error) => this.#break('voice', error, 'pipeline-error-custom-voice-failed'),
      },
      dialogue: {
        happened,
        step: (step) => {
          if (step.kind === 'sentence') this.#clock.mark('sentence', now());
          if (step.kind === 'consent') this.#setup.evidence('consent', { to: step.to, given: step.given });
          tellStep(step, this.#client, this.#transcript, now());
        },
        failed: (error) => this.#break('dialogue', error, 'pipeline-error-custom-llm-llm-failed'),
      },
    };
  }

  #joined(): void {
    if (this.#startedAt !== undefined) return;
    this.#startedAt = now();
    this.#setup.started(this.#startedAt);
    this.#happen({ type: 'joined' });
  }

  #look(): void {
    this.#engines?.player.look();
    this.#looks += 1;
    if (this.#looks % TICK_LOOKS === 0) this.#happen({ type: 'tick' });
  }

  /** Events that come while one is being worked wait for their turn. */
  #happen(event: ConversationEvent): void {
    this.#events.push(event);
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        const { state, effects } = stepConversation(this.#state, next, now());
        this.#state = state;
        for (const effect of effects) this.#attempt(effect);
      }
    } finally {
      this.#stepping = false;
    }
  }

  /** A fault in one call ends that call, never the process with the others. */
  #attempt(effect: ConversationEffect): void {
    try {
      this.#carryOut(effect);
    } catch (error) {
      this.#break(effect.type, error, 'unknown-error');
    }
  }

  #carryOut(effect: ConversationEffect): void {
    switch (effect.type) {
      case 'listening':
        this.#setup.session.sendAppMessage('listening');
        this.#client.tell({ type: 'status-update', status: 'in-progress' });
        if (this.#engines?.hearing === undefined)
          this.#client.send({ type: 'metadata', metadata: { recognition: 'typed-only' } });
        break;
      case 'begin-utterance':
        this.#engines?.hearing?.beginUtterance(effect.utterance);
        break;
      case 'end-utterance':
        this.#clock.endpoint(now());
        this.#engines?.hearing?.endUtterance(effect.utterance);
        break;
      case 'greet':
      case 'reply':
        this.#think(effect);
        break;
      case 'cancel-reply':
        this.#clock.cancel();
        this.#engines?.thinking.cancel();
        break;
      case 'speak':
        this.#engines?.player.speak(effect.speech, effect.text, effect.notBefore);
        break;
      case 'hold':
      case 'release':
        this.#engines?.player.hold(effect.type === 'hold');
        break;
      case 'interrupt':
        this.#said(this.#engines?.player.interrupt() ?? '');
        break;
      case 'end':
        void this.#finish(effect.reason);
        break;
      default:
        this.#client.tell(effect);
    }
  }

  #think(asked: Extract<ConversationEffect, { type: 'greet' | 'reply' }>): void {
    if (asked.type === 'reply') {
      this.#client.tell({ type: 'voice-input', input: asked.text });
      if (!asked.typed) this.#clock.begin(asked.turn, asked.voiceEndedAt, now());
    }
    const goodbye = goodbyeWhenDear(asked.turn, this.#engines, this.#setup);
    if (goodbye !== undefined) return void goodbye.forEach((event) => void this.#happen(event));
    const history = this.#transcript.history();
    while (history.at(-1)?.role === 'user') history.pop();
    this.#engines?.thinking.ask(asked, history);
  }

  /** Keeps what the caller said, and shows it. */
  #heard(text: string, more: object): void {
    if (text.trim() === '' || this.#state.phase === 'ended') return;
    this.#client.tellTranscript('user', 'final', text);
    this.#transcript.add('user', text, now(), more);
    this.#setup.evidence('turn', { role: 'user', text });
    this.#tellConversation();
  }

  #audible(speech: number, text: string): void {
    const latency = this.#clock.mark('audible', now());
    if (latency !== undefined) this.#setup.log('CHECKPOINT', `turn ${JSON.stringify(latency)}`);
    this.#happen({ type: 'audible', speech });
    this.#client.tellTranscript('assistant', 'final', text);
    if (this.#disclosed) return;
    this.#disclosed = true;
    this.#setup.evidence('disclosure', { text });
  }

  /** Keeps what was heard of the assistant. */
  #said(text: string): void {
    if (text === '') return;
    this.#transcript.add('assistant', text, now());
    this.#setup.evidence('turn', { role: 'assistant', text });
    this.#tellConversation();
  }

  #tellConversation(): void {
    const conversation = this.#transcript.history().map(({ role, text }) => ({ role, content: text }));
    this.#client.tell({ type: 'conversation-update', messages: this.#transcript.messages(), conversation });
  }
  async #finish(reason: EndedReason): Promise<void> {
    const { session, log } = this.#setup;
    clearInterval(this.#timer);
    this.#engines?.thinking.cancel();
    this.#said(this.#engines?.player.interrupt() ?? '');
    this.#client.tell({ type: 'status-update', status: 'ended', endedReason: reason });
    this.#setup.server.tell({ type: 'hang' });
    const told = this.#client.send({ type: 'hang' });
    const outcome = callOutcome(reason, {
      startedAt: this.#startedAt,
      endedAt: now(),
      transcript: this.#transcript,
      clock: this.#clock,
      engines: this.#engines,
      session,
    });
    this.#stopEngines();
    if (told) await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
    try {
      await session.close();
    } catch (error) {
      log('ERROR', `the connection did not close: ${String(error)}`);
    }
    try {
      await this.#setup.ended({
        ...outcome,
        analysis: await sumUp(this.#engines?.dialogue, outcome.history, log),
      });
    } finally {
      this.#engines?.dialogue.close();
      this.#over.resolve();
    }
  }

  #stopEngines(): void {
    this.#engines?.hearing?.stop();
    this.#engines?.player.stop();
  }
}
