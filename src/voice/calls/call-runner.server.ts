import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { CallMeter } from '../engines/call-meter.server.ts';
import type {
  CallAssistant,
  CallContext,
  DialogueStep,
  TransferDestination,
} from '../engines/engines.server.ts';
import type { RoomFault } from '../media/media-transport.server.ts';
import { withoutSecrets } from '../records/event-server.server.ts';
import { overBudget } from './call-cost-limit.server.ts';
import { type EngineListeners, type OpenEngines, openEngines, sumUp } from './call-engines.server.ts';
import type { CallSetup } from './call-setup.server.ts';
import { ClientConnection, notifyStep } from './client-connection.server.ts';
import type { ClientMessage } from './client-messages.server.ts';
import type {
  ConversationEffect,
  ConversationEvent,
  ConversationState,
  EndedReason,
} from './conversation/conversation-events.server.ts';
import { conversationRules } from './conversation/conversation-rules.server.ts';
import { beginConversation, stepConversation } from './conversation/conversation-step.server.ts';
import { soundTitle } from './first-sound.server.ts';
import { callOutcome } from './record/call-report.server.ts';
import { type CallMessage, openAiMessages, Transcript } from './record/transcript.server.ts';
import type { CutSentence } from './speech-player.server.ts';
import { CallTakeover, type TakenCall } from './takeover/call-takeover.server.ts';
import { TurnClock } from './turn-latency.server.ts';

const POLL_MS = 20;
/** Polls between two ticks of the conversation. */
const POLLS_PER_TICK = 3;
/** How long the last messages have to be sent before the connection is closed, ms. */
const FAREWELL_MS = 150;

/** How many of the last turns a person hears before a caller is put through to them. */
const LAST_TURNS = 4;
/**
 * Most samples kept for a listener: the two sides have clocks of their own, and beyond a fifth of a second
 * sound is dropped.
 */
const MOST_KEPT = 3200;

function tail(kept: Int16Array, more: Int16Array): Int16Array<ArrayBuffer> {
  const all = new Int16Array(kept.length + more.length);
  all.set(kept);
  all.set(more, kept.length);
  return all.slice(-MOST_KEPT);
}

/** Milliseconds since 1970 that never go back. */
const now = (): number => performance.timeOrigin + performance.now();

/**
 * One call: connects transport, audio input, dialogue and speech by the conversation's state machine. It ends
 * once and reports once, whatever fails.
 */
export class CallRunner {
  readonly #setup: CallSetup;
  readonly #client: ClientConnection;
  readonly #transcript: Transcript;
  readonly #clock = new TurnClock();
  readonly #events: ConversationEvent[] = [];
  #state: ConversationState;
  #stepping = false;
  #engines: OpenEngines | undefined;
  readonly #timer: NodeJS.Timeout;
  #polls = 0;
  /** The assistant that has the call now; the members of a squad have it one after another. */
  #present: CallAssistant;
  #startedAt: number | undefined;
  #disclosed = false;
  /** The caller's words that are being handled, and may interrupt the assistant. */
  #interrupting: CallMessage | undefined;
  /** Whether the caller typed last, and so reads what the assistant answers. */
  #reads = false;
  readonly #over = Promise.withResolvers<void>();
  readonly #takeover: CallTakeover;
  readonly #ears = new Set<(stereo: Int16Array) => void>();
  /** Sound of the caller that listeners have not been sent yet. */
  #callerSound = new Int16Array(0);

  constructor(setup: CallSetup) {
    this.#setup = setup;
    this.#present = setup.assistant;
    this.#transcript = new Transcript(now());
    this.#client = new ClientConnection(setup.session, setup, {
      dispatch: (event) => this.#dispatch(event),
      typed: (text) => {
        this.#interrupting = this.#addUserTurn(text, { typed: true });
        this.#dispatch({ type: 'typed', text });
        this.#interrupting = undefined;
      },
      noted: (role, text) => this.#transcript.add(role, text, now()),
    });
    setup.webhook.describe(() => this.#artifact());
    this.#state = beginConversation(conversationRules(setup.assistant, setup), now());
    this.#takeover = new CallTakeover({
      ...{ session: setup.session, transcript: this.#transcript, rules: this.#state.rules, now },
      ...{ words: setup.words, taken: setup.taken, evidence: setup.evidence, log: setup.log },
      open: async (listener) => this.#engines?.openInput(listener),
      dispatch: (event) => this.#dispatch(event),
      changed: () => this.#notifyConversation(),
    });
    setup.session.onState((state) => {
      if (state === 'connected') this.#joined();
      if (state === 'closed' || state === 'failed' || state === 'disconnected')
        this.end('customer-ended-call');
    });
    setup.session.onPcm16k((pcm) => {
      this.#engines?.audioInput?.push(pcm);
      if (this.#ears.size > 0) this.#callerSound = tail(this.#callerSound, pcm);
    });
    setup.session.onSent((frame, speech) => {
      this.#engines?.audioInput?.sent(speech);
      if (this.#ears.size > 0) this.#beHeard(frame);
    });
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
  }

  /** The assistant that takes the call. */
  get assistant(): CallSetup['assistant'] {
    return this.#setup.assistant;
  }

  /** What its providers have charged; undefined until its engines are open. */
  get meter(): CallMeter | undefined {
    return this.#engines?.meter;
  }

  /** Resolves when the call is over and its report has been stored. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /**
   * Carries out a message of somebody who controls the call from outside. @throws ServiceError 409
   * `taken_over`, `not_talking`
   */
  instruct(message: ClientMessage): void {
    if (message.type === 'say') {
      this.#takeover.requireFree();
      if (this.#state.phase !== 'talking' || this.#state.muted) throw notTalking();
    }
    this.#client.instruct(message);
  }

  /**
   * Gives the assistant an instruction that the caller does not hear; it applies from the next answer on.
   *
   * @throws ServiceError 409 `no_model` where the assistant answers by rules
   */
  whisper(text: string): void {
    if (this.#engines?.dialogue.followsInstructions !== true)
      throw new ServiceError(
        409,
        'no_model',
        'This assistant answers by rules, without a language model: it follows no instructions. Have it say the sentence.',
      );
    this.#transcript.add('system', text, now(), { kind: 'whisper' });
  }

  /**
   * Lets a colleague speak in the assistant's place; the assistant is silent until the call is given back.
   *
   * @param name the colleague's name, for other colleagues
   * @param ended called when the assistant has the call again, for any reason
   * @throws ServiceError 409 `taken_over`, `not_talking`, `written`
   */
  takeOver(name: string, ended: () => void): TakenCall {
    this.#takeover.requireFree();
    if (this.#setup.session.written === true) throw noVoice();
    this.#dispatch({ type: 'take-over' });
    if (!this.#state.taken) throw notTalking();
    return this.#takeover.begin(name, ended);
  }

  /**
   * Puts the caller through to somebody.
   *
   * @param saying said to the caller while that person is called
   * @throws ServiceError 409 `no_telephone` in a browser, `taken_over`; Error with a sentence where nobody is
   * reached
   */
  async transfer(destination: TransferDestination, saying?: string): Promise<void> {
    this.#takeover.requireFree();
    const { line } = this.#setup;
    if (line === undefined)
      throw new ServiceError(409, 'no_telephone', 'A call in the browser cannot be put through.');
    const said = this.#transcript
      .history(this.#transcript.shown())
      .map(({ role, text }) => `${role}: ${text}`);
    if (saying !== undefined) this.instruct({ type: 'say', content: saying });
    await line.transfer(destination, said.slice(-LAST_TURNS).join(' '));
  }

  /**
   * Lets somebody listen to both sides as they are heard, interleaved: the caller left, the assistant right.
   * Returns a function that ends it.
   */
  listen(ear: (stereo: Int16Array) => void): () => void {
    this.#ears.add(ear);
    return () => this.#ears.delete(ear);
  }

  #beHeard(frame: Int16Array): void {
    const stereo = new Int16Array(frame.length * 2);
    frame.forEach((sample, at) => {
      stereo[at * 2] = this.#callerSound[at] ?? 0;
      stereo[at * 2 + 1] = sample;
    });
    this.#callerSound = this.#callerSound.slice(frame.length);
    for (const ear of this.#ears) ear(stereo);
  }

  /** Opens the engines and answers the caller's offer. @throws ServiceError 503 `call_failed`, 400 `bad_offer` */
  async answer(offer: string): Promise<string> {
    await this.open();
    return this.#setup.session.answer(offer);
  }

  /** Opens the engines; a telephone's offer is answered elsewhere. @throws ServiceError 503 `call_failed` */
  async open(): Promise<void> {
    await this.#openEngines();
    if (this.#state.phase === 'ended')
      throw new ServiceError(503, 'call_failed', 'The call could not be begun. Please try again.');
  }

  /** Ends the call from outside the conversation; a second call does nothing. */
  end(reason: EndedReason): void {
    this.#dispatch({ type: 'over', reason });
  }

  /** Removes the caller from the call, and tells them why first. */
  expel(fault: RoomFault): void {
    this.#setup.session.sendFault(fault);
    this.end('manually-canceled');
  }

  async #openEngines(): Promise<void> {
    const { engines, callId, assistant, log, session, soundOf } = this.#setup;
    try {
      const context: CallContext = {
        callId,
        assistant,
        log,
        queryServer: (message, server) => this.#setup.webhook.query(message, server),
        ...(this.#setup.line === undefined ? {} : { line: this.#setup.line }),
      };
      const listeners = this.#listeners();
      this.#engines = await openEngines(engines, { context, session, listeners, soundOf, now });
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
    const dispatch = (event: ConversationEvent): void => this.#dispatch(event);
    return {
      audioInput: {
        window: (ms, probability) => dispatch({ type: 'window', ms, probability }),
        partial: (utterance, { text }) => {
          this.#client.notifyTranscript('user', 'partial', text);
          this.#setup.words('user', text, false);
          dispatch({ type: 'partial', utterance, text });
        },
        final: (utterance, { text, confidence, lost }) => {
          this.#interrupting = this.#addUserTurn(text, { confidence });
          dispatch({ type: 'final', utterance, text, confidence, lost });
          this.#interrupting = undefined;
        },
        ...(this.#state.rules.voicemail === undefined
          ? {}
          : { beep: (ms: number) => dispatch({ type: 'beep', ms }) }),
        failed: (what, error) => this.#setup.log('ERROR', `the ${what} failed: ${String(error)}`),
      },
      speech: {
        synthesised: () => void this.#clock.mark('sound', now()),
        audible: (speech, text) => this.#audible(speech, text),
        played: (speech, text) => {
          this.#addAssistantTurn(text);
          dispatch({ type: 'played', speech });
        },
        failed: (error) => this.#break('voice', error, 'pipeline-error-custom-voice-failed'),
      },
      dialogue: {
        dispatch,
        step: (step) => {
          if (step.kind === 'sentence') this.#clock.mark('sentence', now());
          if (step.kind === 'consent') this.#consent(step);
          notifyStep(this.#asShown(step), this.#client, this.#transcript, now());
          if (step.kind === 'transfer') this.#handOver(step.to);
        },
        failed: (error) => this.#break('dialogue', error, 'pipeline-error-custom-llm-llm-failed'),
      },
    };
  }

  /** Clients get the name of a sound in place of its address, which may hold keys. */
  #asShown(step: DialogueStep): DialogueStep {
    const isSound = step.kind === 'sentence' && this.#setup.soundOf?.(step.text) !== undefined;
    return isSound ? { ...step, text: soundTitle(step.text) } : step;
  }

  #consent({ to, given, greets }: Extract<DialogueStep, { kind: 'consent' }>): void {
    this.#setup.evidence('consent', { to, given });
    if (to === 'recording') this.#dispatch({ type: 'recording-answered', given, greets: greets === true });
  }

  #joined(): void {
    if (this.#startedAt !== undefined) return;
    this.#startedAt = now();
    this.#setup.started(this.#startedAt);
    this.#dispatch({ type: 'joined' });
  }

  #poll(): void {
    try {
      this.#engines?.player.poll();
      this.#takeover.poll();
    } catch (error) {
      this.#break('playing', error, 'unknown-error');
    }
    this.#polls += 1;
    if (this.#polls % POLLS_PER_TICK === 0) this.#dispatch({ type: 'tick' });
  }

  /** Events that come while another is being handled wait for their turn. */
  #dispatch(event: ConversationEvent): void {
    this.#events.push(event);
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#step(next);
    } finally {
      this.#stepping = false;
    }
  }

  #step(event: ConversationEvent): void {
    try {
      const { state, effects } = stepConversation(this.#state, event, now());
      this.#state = state;
      for (const effect of effects) this.#attempt(effect);
    } catch (error) {
      // If ending the call itself fails, it is only logged: ending it again would fail too.
      if (event.type === 'over') this.#setup.log('ERROR', `the end of the call failed: ${String(error)}`);
      else this.#break('conversation', error, 'unknown-error');
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
        this.#client.notify({ type: 'status-update', status: 'in-progress' });
        this.#notifyStarted(this.#setup.assistant);
        if (this.#engines?.audioInput === undefined)
          this.#client.send({ type: 'metadata', metadata: { recognition: 'typed-only' } });
        break;
      case 'begin-utterance':
        if (this.#state.rules.backChannels) this.#engines?.player.prepareListening();
        this.#engines?.audioInput?.beginUtterance(effect.utterance, effect.expected);
        break;
      case 'back-channel':
        this.#engines?.player.showListening();
        break;
      case 'pause-utterance':
      case 'resume-utterance':
        this.#engines?.audioInput?.pauseUtterance(effect.type === 'pause-utterance');
        break;
      case 'end-utterance':
        this.#clock.endpoint(now());
        this.#engines?.audioInput?.endUtterance(effect.utterance);
        break;
      case 'greet':
      case 'reply':
        this.#requestReply(effect);
        break;
      case 'cancel-reply':
        this.#clock.cancel();
        this.#engines?.dialogueTurns.cancel();
        break;
      case 'speak':
        this.#engines?.player.speak(effect.speech, effect.text, effect.notBefore);
        break;
      case 'hold':
      case 'release':
        this.#engines?.player.hold(effect.type === 'hold');
        break;
      case 'interrupt':
        this.#addCutTurn(this.#engines?.player.interrupt());
        break;
      case 'end':
        void this.#finish(effect.reason);
        break;
      default:
        this.#client.notify(effect);
    }
  }

  #requestReply(asked: Extract<ConversationEffect, { type: 'greet' | 'reply' }>): void {
    if (asked.type === 'reply') {
      this.#client.notify({ type: 'voice-input', input: asked.text });
      if (!asked.typed) this.#clock.begin(asked.turn, asked.voiceEndedAt, now());
    }
    const goodbye = overBudget(asked.turn, this.#engines, this.#setup);
    if (goodbye !== undefined) return void goodbye.forEach((event) => void this.#dispatch(event));
    const history = this.#transcript.heard();
    while (history.at(-1)?.role === 'user') history.pop();
    this.#engines?.dialogueTurns.request(asked, history);
  }

  /** Adds what the caller said to the transcript, and announces it. */
  #addUserTurn(text: string, more: { typed: true } | { confidence: number }): CallMessage | undefined {
    this.#setup.words('user', text, true);
    if (text.trim() === '' || this.#state.phase === 'ended') return undefined;
    this.#reads = 'typed' in more;
    this.#client.notifyTranscript('user', 'final', text);
    const added = this.#transcript.add('user', text, now(), more);
    this.#setup.evidence('turn', { role: 'user', text });
    this.#notifyConversation();
    return added;
  }

  #audible(speech: number, text: string): void {
    const latency = this.#clock.mark('audible', now());
    if (latency !== undefined) this.#setup.log('CHECKPOINT', `turn ${JSON.stringify(latency)}`);
    this.#dispatch({ type: 'audible', speech });
    this.#client.notifyTranscript('assistant', 'final', text);
    this.#setup.words('assistant', text, true);
    if (this.#disclosed) return;
    this.#disclosed = true;
    this.#setup.evidence('disclosure', { text });
  }

  /** Adds the words of the assistant that were heard before it was interrupted; for a caller who reads, the whole sentence. */
  #addCutTurn({ heard, shown }: CutSentence = { heard: '', shown: '' }): void {
    const text = this.#reads ? shown : heard;
    this.#transcript.addCut({ text, heard }, now(), this.#interrupting);
    this.#noteAssistantTurn(text);
  }

  /** Adds the part of the assistant's words that was audible to the transcript. */
  #addAssistantTurn(text: string): void {
    this.#transcript.add('assistant', text, now());
    this.#noteAssistantTurn(text);
  }

  #noteAssistantTurn(text: string): void {
    if (text === '') return;
    this.#setup.evidence('turn', { role: 'assistant', text });
    this.#notifyConversation();
  }

  #notifyConversation(): void {
    const messages = this.#transcript.shown();
    const conversation = openAiMessages(this.#transcript.history(messages));
    const more = { conversation, messagesOpenAIFormatted: conversation };
    this.#client.notify({ type: 'conversation-update', messages, ...more });
  }

  /**
   * Announces a hand-over. Servers of the published API read both assistants from the message; the caller's
   * client gets only the new one's name.
   */
  #handOver(name: string): void {
    const from = withoutSecrets(this.#present);
    const to = this.#setup.handedOver?.(name);
    this.#present = to ?? this.#present;
    if (to !== undefined) this.#setup.webhook.handOver(to);
    const destination = { type: 'assistant', assistantName: name };
    const both = { fromAssistant: from, ...(to === undefined ? {} : { toAssistant: withoutSecrets(to) }) };
    const neither = { fromAssistant: undefined, toAssistant: undefined };
    this.#client.notify({ type: 'transfer-update', destination, ...both }, neither);
    this.#notifyStarted(to);
  }

  /**
   * Announces which assistant has the call. The server gets the whole assistant, the caller's client only its
   * name, since callers must not see prompts.
   */
  #notifyStarted(assistant: CallAssistant | undefined): void {
    if (assistant === undefined) return;
    const { name } = assistant;
    const message = { type: 'assistant.started', newAssistant: withoutSecrets(assistant) };
    this.#client.notify(message, { newAssistant: name === undefined ? {} : { name } });
  }

  /** What has been said so far, which every message to the assistant's server contains. */
  #artifact(): object {
    const messages = this.#transcript.shown();
    const { variableValues, artifactPlan } = this.#setup.assistant;
    return {
      messages,
      messagesOpenAIFormatted: openAiMessages(this.#transcript.history(messages)),
      transcript: this.#transcript.text(artifactPlan?.transcriptPlan),
      ...(variableValues === undefined ? {} : { variableValues }),
    };
  }

  async #finish(reason: EndedReason): Promise<void> {
    const { session, log } = this.#setup;
    clearInterval(this.#timer);
    this.#engines?.dialogueTurns.cancel();
    this.#addCutTurn(this.#engines?.player.interrupt());
    this.#takeover.close();
    this.#client.notify({ type: 'status-update', status: 'ended', endedReason: reason });
    this.#setup.webhook.notify({ type: 'hang' });
    const told = this.#client.send({ type: 'hang' });
    const outcome = callOutcome(reason, {
      startedAt: this.#startedAt,
      endedAt: now(),
      transcript: this.#transcript,
      clock: this.#clock,
      engines: this.#engines,
      session,
      assistant: this.#setup.assistant,
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
    this.#engines?.audioInput?.stop();
    this.#engines?.player.stop();
  }
}

const noVoice = (): ServiceError =>
  new ServiceError(
    409,
    'written',
    'This visitor writes and hears nothing. Have the assistant say the sentence.',
  );
const notTalking = (): ServiceError =>
  new ServiceError(
    409,
    'not_talking',
    'The assistant does not talk with anybody now: the call has not begun, is ending, or the assistant is muted.',
  );
