import { plainWords } from '../../dialogue/spoken/word-normalisation.server.ts';
import type { CallAssistant } from '../../engines/engines.server.ts';
import { type EndpointRule, endpointRules } from '../../records/endpoint-rules.contract.ts';

/** The times (milliseconds) and words that govern one conversation. */
export interface ConversationRules {
  readonly firstMessage: string;
  /** Said after a first message that is a sound. */
  readonly firstQuestion: string;
  readonly firstMessageMode: 'speaks' | 'generates' | 'waits';
  readonly firstMessageInterruptible: boolean;
  /**
   * Asks whether the call may be recorded; the first message waits for the answer. Empty where nothing is
   * asked.
   */
  readonly opening: string;
  /** An answer is not heard sooner than this after the end of the caller's speech. */
  readonly responseDelayMs: number;
  /** This much voice over the assistant's silences it. */
  readonly interruptAfterMs: number;
  /** Recognised words that an interruption needs; with 0 voice alone holds the assistant. */
  readonly interruptWords: number;
  /** How long the assistant stays silent after an interruption. */
  readonly backOffMs: number;
  /** Whether a caller who speaks for long hears `Mm-hm`. */
  readonly backChannels: boolean;
  readonly silenceTimeoutMs: number;
  readonly maxDurationMs: number;
  readonly endCallMessage: string;
  readonly endCallPhrases: readonly string[];
  /**
   * Sentences for a silent caller (`hooks`, `messagePlan`). Of those whose time has come, the first is said.
   */
  readonly silencePrompts: readonly SilencePrompt[];
  /** Said before the call ends for silence. */
  readonly silenceMessage: string;
  /** The assistant's own phrases, added to the default ones (`stopSpeakingPlan`). */
  readonly phrases: InterruptionPhrases;
  /** Pauses of the caller that end a turn, in place of the usual ones (`startSpeakingPlan`). */
  readonly pauses: EndpointPauses | undefined;
  /**
   * Pauses by what was said; they come before every other rule (`startSpeakingPlan.customEndpointingRules`).
   */
  readonly endpointRules: readonly EndpointRule[];
  /**
   * Set for a call that goes out: answering machines are recognised, and get this message, where it is not
   * empty.
   */
  readonly voicemail: { readonly message: string } | undefined;
}

/** A sentence for a silent caller. */
export interface SilencePrompt {
  readonly afterMs: number;
  readonly most: number;
  /** The sentences, said in turn. */
  readonly messages: readonly string[];
  /** Whether the count begins anew once the caller speaks. */
  readonly resets: boolean;
}

/** Phrases as plain words: those that never take the turn, and those that always do. */
export interface InterruptionPhrases {
  readonly acknowledgements: readonly string[];
  readonly interruptions: readonly string[];
}

/** Milliseconds of silence that end a turn after a punctuation mark, without one, and after a number. */
export interface EndpointPauses {
  readonly punctuation: number;
  readonly noPunctuation: number;
  readonly number: number;
}

const numberOf = (value: unknown, otherwise: number, most: number): number =>
  typeof value === 'number' && value >= 0 ? Math.min(value, most) : otherwise;

/**
 * The rules of an assistant; for missing fields the defaults are those of docs/contracts/voice.md §3 and §6.
 *
 * @param goesOut whether the call calls somebody by telephone, where a machine may answer
 * @param opening asked before the first message, which waits for the answer
 * @param firstQuestion asked right after the first message
 */
export function conversationRules(
  assistant: CallAssistant,
  {
    goesOut = false,
    opening = '',
    firstQuestion = '',
  }: {
    readonly goesOut?: boolean;
    readonly opening?: string | undefined;
    readonly firstQuestion?: string | undefined;
  } = {},
): ConversationRules {
  const { startSpeakingPlan: start = {}, stopSpeakingPlan: stop = {}, messagePlan: plan = {} } = assistant;
  const modes = {
    'assistant-speaks-first': 'speaks',
    'assistant-speaks-first-with-model-generated-message': 'generates',
    'assistant-waits-for-user': 'waits',
  } as const;
  return {
    firstMessage: assistant.firstMessage ?? '',
    firstQuestion,
    firstMessageMode: modes[assistant.firstMessageMode ?? 'assistant-speaks-first'],
    firstMessageInterruptible: assistant.firstMessageInterruptionsEnabled ?? true,
    opening,
    responseDelayMs: numberOf(start.waitSeconds, assistant.responseDelaySeconds ?? 0.4, 5) * 1000,
    interruptAfterMs: numberOf(stop.voiceSeconds, 0.2, 0.5) * 1000,
    interruptWords: numberOf(stop.numWords, assistant.numWordsToInterruptAssistant ?? 0, 10),
    backOffMs: numberOf(stop.backoffSeconds, 1, 10) * 1000,
    backChannels: assistant.backchannelingEnabled === true,
    silenceTimeoutMs: (assistant.silenceTimeoutSeconds ?? 30) * 1000,
    maxDurationMs: (assistant.maxDurationSeconds ?? 1800) * 1000,
    endCallMessage: assistant.endCallMessage ?? '',
    endCallPhrases: phrasesOf(assistant.endCallPhrases),
    silencePrompts: silencePrompts(assistant),
    silenceMessage: textsOf([plan.silenceTimeoutMessage])[0] ?? '',
    phrases: {
      acknowledgements: phrasesOf(stop.acknowledgementPhrases),
      interruptions: phrasesOf(stop.interruptionPhrases),
    },
    pauses: pausesOf(start.transcriptionEndpointingPlan),
    endpointRules: endpointRules(start.customEndpointingRules),
    voicemail: goesOut ? voicemailOf(assistant) : undefined,
  };
}

function silencePrompts({ hooks = [], messagePlan: plan = {} }: CallAssistant): SilencePrompt[] {
  const hooked = hooks
    .filter(({ on }) => on === 'customer.speech.timeout')
    .map(({ do: actions, options = {} }) => ({
      afterMs: (options.timeoutSeconds ?? IDLE_SECONDS) * 1000,
      most: options.triggerMaxCount ?? IDLE_MOST,
      messages: actions.flatMap(({ type, exact }) => (type === 'say' ? textsOf([exact].flat()) : [])),
      resets: options.triggerResetMode === 'onUserSpeech',
    }));
  const planned = {
    afterMs: Math.max(numberOf(plan.idleTimeoutSeconds, IDLE_SECONDS, 60), LEAST_IDLE_SECONDS) * 1000,
    most: numberOf(plan.idleMessageMaxSpokenCount, IDLE_MOST, 10),
    messages: textsOf(plan.idleMessages),
    resets: false,
  };
  return [...hooked, planned].filter(({ messages }) => messages.length > 0);
}

function voicemailOf({
  voicemailDetection,
  voicemailMessage,
}: CallAssistant): { message: string } | undefined {
  if (voicemailDetection === undefined || voicemailDetection === 'off') return undefined;
  return { message: voicemailMessage?.trim() ?? '' };
}

const LEAST_IDLE_SECONDS = 5;
const IDLE_SECONDS = 7.5;
const IDLE_MOST = 3;
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).filter(
    (text): text is string => typeof text === 'string' && text !== '',
  );
const phrasesOf = (value: unknown): string[] =>
  textsOf(value)
    .map((phrase) => plainWords(phrase).join(' '))
    .filter((phrase) => phrase !== '');

function pausesOf(plan: unknown): EndpointPauses | undefined {
  if (typeof plan !== 'object' || plan === null) return undefined;
  const given = plan as Record<string, unknown>;
  return {
    punctuation: numberOf(given.onPunctuationSeconds, 0.1, 3) * 1000,
    noPunctuation: numberOf(given.onNoPunctuationSeconds, 1.5, 3) * 1000,
    number: numberOf(given.onNumberSeconds, 0.5, 3) * 1000,
  };
}
